// Any bytes as an experiment document: refused with faults, or a sweep whose
// graph has all of its experiments. Never a crash.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "runner/plan/describe.h"
#include "runner/plan/key.h"
#include "runner/plan/spec/fault.h"
#include "runner/plan/spec/graph.h"
#include "runner/plan/spec/validate.h"

namespace {

zs::MemoryBytes NoMemory(const zs::RunConfig&, int) {
  return {};
}

// What follows for a sweep that was accepted; ends the program where it is not
// as promised.
void Use(const zs::Sweep& sweep) {
  const zs::Graph graph = zs::MakeGraph(sweep);
  if (graph.order.size() != sweep.experiments.size()) {
    std::abort();
  }
  // A model of many layers has a long list of parameters; the prediction of
  // one is not what is looked at here.
  for (const zs::Experiment& experiment : sweep.experiments) {
    if (experiment.model.layers > 100) {
      return;
    }
  }
  const auto derived = zs::DeriveAll(sweep, &NoMemory);
  const auto decisions = zs::Decide(
      sweep, graph, std::vector<zs::Facts>(sweep.experiments.size()));
  const auto rows = zs::PlanRows(graph, decisions, derived);
  zs::PlanTables(sweep, rows);
  zs::PlanJson(sweep, rows);
  zs::MakeKey(sweep.experiments[0], {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto document = zs::ParseJson(
      std::string_view(reinterpret_cast<const char*>(data), size));
  if (!document.ok()) {
    return 0;
  }
  std::vector<zs::Fault> faults;
  const zs::Sweep sweep = zs::ReadSweep(*document, faults);
  if (faults.empty()) {
    Use(sweep);
  } else {
    zs::ToString(faults);
  }
  return 0;
}
