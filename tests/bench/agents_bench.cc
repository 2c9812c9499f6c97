// Starts and ends many agents on this host, through the shell by which other
// nodes are reached too: seconds until all have answered, and until all have
// ended what they own and themselves.
//
//   bazel build -c opt //tests/bench:agents_bench
//   bazel-bin/tests/bench/agents_bench [AGENTS]
#include <stdlib.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "runner/reach/agent_pool.h"
#include "runner/reach/ask.h"

namespace zs {
namespace {

constexpr int64_t kTimeoutMs = 60'000;

double Seconds(int64_t since_ns) {
  return static_cast<double>(RealClock().monotonic_ns() - since_ns) * 1e-9;
}

// Gets COUNT agents of POOL and an answer of each; false: one does not answer.
bool ReachAll(int count, AgentPool& pool) {
  std::vector<Question> questions;
  for (int i = 0; i < count; ++i) {
    const std::string node = "n" + std::to_string(i);
    const auto agent = pool.Get(node, {"env", "ZS_BENCH_NODE=" + node});
    if (!agent.ok()) {
      std::fprintf(stderr, "%s\n", agent.status().message().c_str());
      return false;
    }
    Question question;
    question.connection = *agent;
    question.query = {0, "host", {}};
    questions.push_back(question);
  }
  AskAll(questions, kTimeoutMs);
  for (const Question& question : questions) {
    if (!question.answer.ok()) {
      std::fprintf(stderr, "%s\n", question.answer.status().message().c_str());
      return false;
    }
  }
  return true;
}

int Main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 64;
  char folder[] = "/tmp/zs-agents-XXXXXX";
  if (::mkdtemp(folder) == nullptr) {
    return 1;
  }
  ::setenv("XDG_CACHE_HOME", folder, 1);
  auto pool = std::make_unique<AgentPool>(
      AgentOptions{.agent_path = "bazel-bin/runner/agent/agent"});
  bool ok = ReachAll(1, *pool);  // puts the agent there
  const int64_t start_ns = RealClock().monotonic_ns();
  ok = ok && ReachAll(count, *pool);
  std::printf("%d agents: start %.2f s", count, Seconds(start_ns));
  const int64_t stop_ns = RealClock().monotonic_ns();
  pool.reset();
  std::printf(", stop %.2f s\n", Seconds(stop_ns));
  const std::string remove = std::string("rm -r ") + folder;
  return ok && std::system(remove.c_str()) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace zs

int main(int argc, char** argv) {
  return zs::Main(argc, argv);
}
