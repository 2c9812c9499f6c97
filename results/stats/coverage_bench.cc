// The table of docs/metrics.md: 1,000 sweeps a line (or as many as the first
// argument says), of seeds that the method was not calibrated with (or those
// from the second argument on).
#include <array>
#include <cstdio>
#include <cstdlib>

#include "results/stats/coverage.h"

namespace zs::results {
namespace {

struct NamedKind {
  const char* name;
  SyntheticKind kind;
};

constexpr std::array<NamedKind, 4> kKinds = {
    {{"AR(1)", SyntheticKind::kPlain},
     {"drift", SyntheticKind::kDrift},
     {"spikes", SyntheticKind::kSpikes},
     {"bimodal", SyntheticKind::kBimodal}}};

void PrintLine(const char* name, CoverageCase c, int tries, unsigned seed) {
  const Coverage same = CoverageOf(c, tries, seed);
  c.ratio = 1.01;
  const Coverage little = CoverageOf(c, tries, seed);
  c.ratio = 1.05;
  const Coverage more = CoverageOf(c, tries, seed);
  const auto percent = [](int count, const Coverage& of) {
    return 100.0 * count / of.tries;
  };
  std::printf(
      "| %s | %d x %d | %.1f | %.1f%% | %.1f / %.1f / %.1f%% | %.1f%% | %.1f%% "
      "| %.1f%% |\n",
      name, c.runs, c.steps, c.phi, 100 * c.run_noise,
      percent(same.covered, same), percent(little.covered, little),
      percent(more.covered, more), percent(same.faster_or_slower, same),
      percent(more.faster, more), percent(more.oracle_faster, more));
  std::fflush(stdout);
}

void PrintAll(int tries, unsigned seed) {
  std::printf(
      "| noise | runs x steps | correlation | between runs | covered at 1.00 / "
      "1.01 / 1.05 | false word at 1.00 | 1.05 found | by who knows the "
      "spread |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const NamedKind& kind : kKinds) {
    for (const int steps : {40, 100}) {
      for (const double phi : {0.0, 0.3, 0.5, 0.7}) {
        PrintLine(kind.name, {.kind = kind.kind, .steps = steps, .phi = phi},
                  tries, seed);
      }
    }
  }
  for (const int runs : {2, 3, 5}) {
    for (const double run_noise : {0.0, 0.005, 0.02}) {
      PrintLine("AR(1)", {.phi = 0.3, .runs = runs, .run_noise = run_noise},
                tries, seed);
    }
  }
}

}  // namespace
}  // namespace zs::results

int main(int argc, char** argv) {
  zs::results::PrintAll(argc > 1 ? std::atoi(argv[1]) : 1000,
                        argc > 2 ? static_cast<unsigned>(std::atoi(argv[2]))
                                 : zs::results::kFirstUnseen);
}
