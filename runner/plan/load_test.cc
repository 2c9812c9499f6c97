#include "runner/plan/load.h"

#include <string>

#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

Result<LoadedSweep> Load(const std::string& text) {
  EvalRequest request;
  request.file = ::testing::TempDir() + "/load_test.jsonnet";
  EXPECT_OK(WriteFileAtomically(request.file, text));
  return LoadSweep(request);
}

TEST(LoadTest, GivesTheSweep) {
  const auto loaded = Load(
      "{ schema: 1, sweep: 's', experiments: [{ name: 'ring', backend: "
      "'collectives', collectives: { ops: ['all_reduce'] } }] }");
  ASSERT_OK(loaded);
  EXPECT_EQ(loaded->sweep.name, "s");
  EXPECT_EQ(loaded->sweep.experiments[0].topology.nodes[0], "localhost");
  EXPECT_EQ(loaded->files.size(), 1u);
}

TEST(LoadTest, EveryFaultHasItsLineWithTheFile) {
  EXPECT_STATUS(Load("{ schema: 2, sweep: 's', experiments: [] }"),
                StatusCode::kInvalidArgument,
                "load_test.jsonnet: schema: 2 is not allowed");
  EXPECT_STATUS(Load("{ schema: 2, sweep: 's', experiments: [] }"),
                StatusCode::kInvalidArgument,
                "load_test.jsonnet: experiments: empty");
  EXPECT_STATUS(Load("function() 'text'"), StatusCode::kInvalidArgument,
                "must give an object");
}

TEST(LoadTest, ManyFaultsAreCounted) {
  EXPECT_STATUS(
      Load("{ schema: 1, sweep: 's', experiments: std.range(1, 300) }"),
      StatusCode::kInvalidArgument, "200 more faults");
}

}  // namespace
}  // namespace zs
