#include "engine/api/event.h"

#include <cmath>
#include <limits>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

StepEvent SampleStep() {
  return {.rank = 0,
          .step = 7,
          .loss = 2.5,
          .grad_norm = 0.75,
          .lr = 3e-4,
          .tokens = 4096,
          .step_ms = 12.5,
          .data_ms = 0.5,
          .forward_ms = 4,
          .backward_ms = 6,
          .optimizer_ms = 1,
          .comm_exposed_ms = 1,
          .comm = {{"all_reduce", 6, 1000, 2.25}}};
}

TEST(EventTest, StepComesBackAsItWas) {
  const auto event = ParseEventLine(EventLine(SampleStep()));
  ASSERT_OK(event);
  const auto& step = std::get<StepEvent>(*event);
  EXPECT_EQ(step.step, 7);
  EXPECT_EQ(step.loss, 2.5);
  EXPECT_EQ(step.tokens, 4096);
  ASSERT_EQ(step.comm.size(), 1);
  EXPECT_EQ(step.comm[0].op, "all_reduce");
  EXPECT_EQ(step.comm[0].bytes, 1000);
}

TEST(EventTest, LineIsOneLineOfJsonThatNamesTheEvent) {
  const std::string line =
      EventLine(ErrorEvent{.rank = 3, .code = "data", .message = "a\nb"});
  EXPECT_EQ(line,
            R"({"code":"data","event":"error","message":"a\nb","rank":3})");
}

TEST(EventTest, LossThatIsNoNumberIsCarried) {
  StepEvent step = SampleStep();
  step.loss = std::numeric_limits<double>::quiet_NaN();
  step.grad_norm = std::numeric_limits<double>::infinity();
  const auto event = ParseEventLine(EventLine(step));
  ASSERT_OK(event);
  EXPECT_TRUE(std::isnan(std::get<StepEvent>(*event).loss));
  EXPECT_TRUE(std::isinf(std::get<StepEvent>(*event).grad_norm));
}

TEST(EventTest, EveryKindComesBackAsItsKind) {
  const Event events[] = {StartEvent{.zero_stage = 2, .versions = {{"a", "1"}}},
                          SampleStep(),
                          MemoryEvent{.mem_peak_bytes = {.total = 5}},
                          CheckpointEvent{.action = "saved", .step = 4},
                          EndEvent{.steps = 4, .parameters_sha256 = "ab"},
                          ErrorEvent{.code = "data"}};
  for (const Event& event : events) {
    const auto parsed = ParseEventLine(EventLine(event));
    ASSERT_OK(parsed);
    EXPECT_EQ(parsed->index(), event.index());
  }
  const auto start = ParseEventLine(EventLine(events[0]));
  EXPECT_EQ(std::get<StartEvent>(*start).versions.at("a"), "1");
}

TEST(EventTest, OtherTextIsNoEvent) {
  for (const char* line :
       {"", "NCCL INFO", "{}", "[1]", R"({"event": 5})",
        R"({"event": "dance", "rank": 0})", R"({"a": "\"event\""})"}) {
    EXPECT_EQ(ParseEventLine(line).status().code(), StatusCode::kNotFound)
        << line;
  }
}

TEST(EventTest, DamagedEventNamesTheField) {
  EXPECT_STATUS(ParseEventLine(R"({"event":"step","rank":0})"),
                StatusCode::kInvalidArgument, "step: missing");
  EXPECT_STATUS(ParseEventLine(R"({"event":"end","rank":-1,"steps":1,)"
                               R"("final_loss":1})"),
                StatusCode::kInvalidArgument, "rank: -1");
  EXPECT_STATUS(ParseEventLine(R"({"event":"step","rank":0,"step)"),
                StatusCode::kInvalidArgument, "");
}

TEST(EventTest, RefusesLinesOfMegabytes) {
  std::string line = R"({"event":"error","rank":0,"code":")";
  line.append(size_t{1} << 21, 'x');
  EXPECT_STATUS(ParseEventLine(line + "\"}"), StatusCode::kInvalidArgument,
                "1 MiB");
}

}  // namespace
}  // namespace zs
