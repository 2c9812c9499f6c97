// What planning costs beside the stock jsonnet command on the same file:
//   bazel run //tests/bench:plan_bench [-- FILE [ROUNDS]]
// prints one JSON line; "ratio" is that of the median wall times, the two
// being measured in turn, "cpu_ratio" that of the CPU times.
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "engine/api/footprint.h"
#include "runner/plan/describe.h"
#include "runner/plan/key.h"
#include "runner/plan/load.h"
#include "runner/plan/spec/graph.h"

namespace zs {
namespace {

constexpr char kLibrary[] = "experiments";

struct Cost {
  double wall_s = 0;
  double cpu_s = 0;
};

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) * 1e-6;
}

// CPU time of this process and of the children it has waited for.
double CpuSeconds() {
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    sum += Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  }
  return sum;
}

template <typename Work>
Cost Measure(const Work& work) {
  const double wall_s = RealClock().monotonic_s();
  const double cpu_s = CpuSeconds();
  work();
  return {RealClock().monotonic_s() - wall_s, CpuSeconds() - cpu_s};
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// All that `runner plan FILE` does but for the look into the database.
size_t Plan(const std::string& file) {
  const auto loaded = LoadSweep({.file = file, .library_dir = kLibrary});
  if (!loaded.ok()) {
    std::fprintf(stderr, "%s\n", loaded.status().ToString().c_str());
    std::exit(1);
  }
  const Sweep& sweep = loaded->sweep;
  const Graph graph = MakeGraph(sweep);
  std::vector<Facts> facts(sweep.experiments.size());
  for (const Experiment& experiment : sweep.experiments) {
    MakeKey(experiment, {});
  }
  const auto rows = PlanRows(graph, Decide(sweep, graph, facts),
                             DeriveAll(sweep, &PredictMemory));
  return PlanTables(sweep, rows)[0].rows.size() +
         DumpJson(PlanJson(sweep, rows)).size();
}

void Stock(const std::string& file) {
  const std::string command = std::string("exec jsonnet -J ") + kLibrary +
                              " '" + file + "' > /dev/null";
  if (std::system(command.c_str()) != 0) {
    std::fprintf(stderr, "failed: %s\n", command.c_str());
    std::exit(1);
  }
}

int Run(const std::string& file, int rounds) {
  std::vector<double> wall[2];
  std::vector<double> cpu[2];
  for (int round = 0; round < rounds; ++round) {
    const Cost costs[] = {Measure([&] { Plan(file); }),
                          Measure([&] { Stock(file); })};
    for (int i = 0; i < 2; ++i) {
      wall[i].push_back(costs[i].wall_s);
      cpu[i].push_back(costs[i].cpu_s);
    }
  }
  const Json result = {{"bench", "plan"},
                       {"rounds", rounds},
                       {"plan_s", Median(wall[0])},
                       {"jsonnet_s", Median(wall[1])},
                       {"ratio", Median(wall[0]) / Median(wall[1])},
                       {"cpu_ratio", Median(cpu[0]) / Median(cpu[1])},
                       {"allowed", 1.5}};
  std::printf("%s\n", DumpJson(result).c_str());
  return Median(wall[0]) <= 1.5 * Median(wall[1]) ? 0 : 1;
}

}  // namespace
}  // namespace zs

int main(int argc, char** argv) {
  const std::string file =
      argc > 1 ? argv[1] : "tests/bench/matrix_10000.jsonnet";
  return zs::Run(file, argc > 2 ? std::atoi(argv[2]) : 3);
}
