// What watching costs: supervise_bench starts many agents on this host, and
// lets the ranks of eight nodes print ten thousand lines a second. Prints one
// JSON object a line.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "runner/supervise/supervise.h"
#include "tests/fault/fault_test_base.h"

namespace zs::testing {
namespace {

double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

// NODES nodes on this host, each with PER_NODE ranks of fake_train.
RunRequest OnNodes(int nodes, int per_node,
                   const std::vector<std::string>& args) {
  const RunRequest all = FakeTrain(nodes * per_node, args);
  RunRequest request = all;
  request.nodes.clear();
  for (int k = 0; k < nodes; ++k) {
    NodeRequest node;
    node.name = "node" + std::to_string(k);
    for (int local = 0; local < per_node; ++local) {
      node.ranks.push_back(
          all.nodes[0].ranks[static_cast<size_t>(k * per_node + local)]);
    }
    request.nodes.push_back(node);
  }
  return request;
}

// Starts and stops COUNT agents, with one rank each.
int ManyAgents(int count) {
  LineObserver observer;
  const Result<StopSource> stop = StopSource::Create();
  auto pool = std::make_unique<AgentPool>(AgentOptions{kAgentPath, ""});
  RunRequest request = OnNodes(count, 1, {"--steps", "0"});
  const RunOutcome outcome = Supervise(request, *pool, observer, *stop);
  const auto begin = std::chrono::steady_clock::now();
  pool.reset();
  std::printf(
      "{\"bench\": \"agents\", \"agents\": %d, \"ok\": %s, \"reached_s\": "
      "%.3f, "
      "\"run_s\": %.3f, \"stop_s\": %.3f}\n",
      count, outcome.state == ProcessState::kExited ? "true" : "false",
      outcome.timings.reached_s.value_or(-1), outcome.timings.clean_s,
      SecondsSince(begin));
  return outcome.state == ProcessState::kExited ? 0 : 1;
}

// Eight nodes with ten ranks each that print a line every 8 ms, into FOLDER.
int ManyLines(const std::string& folder) {
  LineObserver observer;
  const Result<StopSource> stop = StopSource::Create();
  AgentPool pool({kAgentPath, ""});
  RunRequest request = OnNodes(8, 10, {"--steps", "1250", "--dt_ms", "8"});
  request.artifact_folder = folder;
  request.log_cap_bytes = 4 << 20;
  rusage before{};
  ::getrusage(RUSAGE_SELF, &before);
  const auto begin = std::chrono::steady_clock::now();
  const RunOutcome outcome = Supervise(request, pool, observer, *stop);
  const double seconds = SecondsSince(begin);
  rusage after{};
  ::getrusage(RUSAGE_SELF, &after);
  const auto cpu_s = [](const rusage& usage) {
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec +
                                      usage.ru_stime.tv_usec);
  };
  const double cpu = cpu_s(after) - cpu_s(before);
  std::printf(
      "{\"bench\": \"lines\", \"ok\": %s, \"seconds\": %.2f, "
      "\"lines_per_s\": %.0f, \"cpu_pct_of_a_core\": %.1f, "
      "\"cpu_us_per_line\": %.1f, \"peak_rss_mib\": %.1f}\n",
      outcome.state == ProcessState::kExited ? "true" : "false", seconds,
      80 * 1250 / seconds, 100 * cpu / seconds, 1e6 * cpu / (80 * 1250),
      static_cast<double>(after.ru_maxrss) / 1024);
  return outcome.state == ProcessState::kExited ? 0 : 1;
}

}  // namespace
}  // namespace zs::testing

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: supervise_bench FOLDER (for logs)\n");
    return 64;
  }
  const int agents = zs::testing::ManyAgents(64);
  const int lines = zs::testing::ManyLines(argv[1]);
  return agents + lines == 0 ? 0 : 1;
}
