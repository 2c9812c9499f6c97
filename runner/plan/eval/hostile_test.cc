// Files that are made to crash, exhaust or hang the evaluator: each must end
// in one error, or in a small result, within the limits.
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "runner/plan/eval/evaluate.h"

namespace zs {
namespace {

std::string Repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    all += text;
  }
  return all;
}

// A string of 2^21 bytes.
constexpr char kTwoMebibytes[] =
    "std.foldl(function(s, i) s + s, std.range(1, 21), 'x')";

struct Hostile {
  const char* name;
  std::string text;
};

// Names tests in messages.
void PrintTo(const Hostile& hostile, std::ostream* out) {
  *out << hostile.name;
}

class HostileTest : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileTest, EndsWithinTheLimits) {
  EvalRequest request;
  request.file = ::testing::TempDir() + "/" + GetParam().name + ".jsonnet";
  request.limits.memory_bytes = int64_t{384} << 20;
  request.limits.cpu_s = 1;
  request.limits.wall_s = 8;
  request.limits.stack_bytes = int64_t{8} << 20;
  request.limits.output_bytes = 1 << 20;
  ASSERT_OK(WriteFileAtomically(request.file, GetParam().text));
  const double start_s = RealClock().monotonic_s();
  const auto evaluated = Evaluate(request);
  EXPECT_LT(RealClock().monotonic_s() - start_s, 20);
  if (evaluated.ok()) {
    EXPECT_LT(evaluated->document.size(), size_t{1} << 20);
    return;
  }
  EXPECT_NE(evaluated.status().code(), StatusCode::kInternal)
      << evaluated.status().ToString();
  EXPECT_LT(evaluated.status().message().size(), 10000u);
}

// Each line holds the one before twice.
std::string YamlAliases() {
  std::string lines = "\\na0: &a0 [x, x]";
  for (int i = 1; i < 40; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    lines += "\\na" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
             last + ", " + last + "]";
  }
  return "std.parseYaml('" + lines + "')";
}

INSTANTIATE_TEST_SUITE_P(
    Nesting, HostileTest,
    ::testing::Values(
        Hostile{"brackets", Repeated("[", 100000) + Repeated("]", 100000)},
        Hostile{"parentheses",
                Repeated("(", 100000) + "1" + Repeated(")", 100000)},
        Hostile{"sum", "1" + Repeated("+1", 200000)},
        Hostile{"fields", "local a = {b: a}; a" + Repeated(".b", 200000)},
        Hostile{"objects", "{}" + Repeated(" {x: 1}", 100000)},
        Hostile{"not", Repeated("!", 200000) + "true"},
        Hostile{"parse_json", "std.parseJson(std.repeat('[', 200000))"},
        Hostile{"parse_yaml", "std.parseYaml(std.repeat('[', 200000))"},
        Hostile{"deep_result",
                "local d(n, x) = if n == 0 then x else d(n - 1, [x]) "
                "tailstrict; d(1000000, 1)"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Memory, HostileTest,
    ::testing::Values(Hostile{"yaml_aliases", YamlAliases()},
                      Hostile{"doubling",
                              "std.length(std.foldl(function(s, i) s + s, "
                              "std.range(1, 40), 'x'))"},
                      Hostile{"range", "std.length(std.range(1, 2e9))"},
                      Hostile{"repeat", "std.length(std.repeat('x', 2e9))"},
                      Hostile{"make_array",
                              "std.makeArray(2e9, function(i) i)"},
                      Hostile{"large_result", kTwoMebibytes},
                      Hostile{"format_width", "'%2000000000d' % 1"},
                      Hostile{"format_precision", "'%.2000000000f' % 1"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Time, HostileTest,
    ::testing::Values(
        Hostile{"tail_call", "local f(n) = f(n + 1) tailstrict; f(0)"},
        Hostile{"fibonacci",
                "local f(n) = if n < 2 then n else f(n - 1) + f(n - 2); "
                "f(60)"},
        Hostile{"recursion", "local f(n) = 1 + f(n + 1); f(0)"},
        Hostile{"self_reference", "local a = a; a"},
        Hostile{"self_import", "import 'self_import.jsonnet'"},
        Hostile{"shadow", "importstr '/etc/shadow'"},
        Hostile{"environ", "importstr '/proc/self/environ'"},
        Hostile{"dev_zero",
                "importstr "
                "'../../../../../../../../../../../../../../../../dev/zero'"}),
    [](const auto& info) { return info.param.name; });

TEST(LimitsTest, MessagesNameTheLimit) {
  EvalRequest request;
  request.file = ::testing::TempDir() + "/limit.jsonnet";
  request.limits.cpu_s = 30;
  request.limits.wall_s = 0.2;
  ASSERT_OK(WriteFileAtomically(request.file,
                                "local f(n) = f(n + 1) tailstrict; f(0)"));
  EXPECT_STATUS(Evaluate(request), StatusCode::kDeadlineExceeded,
                "did not end within 0.2 s");
  request.limits.wall_s = 30;
  request.limits.output_bytes = 1 << 20;
  ASSERT_OK(WriteFileAtomically(request.file, kTwoMebibytes));
  EXPECT_STATUS(Evaluate(request), StatusCode::kResourceExhausted,
                "larger than the 1 MiB allowed");
}

}  // namespace
}  // namespace zs
