// predict: how fast experiments would be on clusters one does not have.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/strings.h"
#include "results/report/table_writer.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/figure_commands.h"
#include "runner/cli/output.h"
#include "runner/cli/prepare_arguments.h"
#include "runner/cli/profiles.h"
#include "runner/host/installation.h"
#include "runner/plan/describe.h"
#include "runner/predict/extrapolate.h"

namespace zs {
namespace {

Result<std::string> PredictText(const Arguments& a,
                                const Installation& installation) {
  ASSIGN_OR_RETURN(const auto preparation, PrepareFile(a, installation));
  ASSIGN_OR_RETURN(auto profile,
                   FindProfile(a, installation, preparation->machine));
  if (!profile.has_value()) {
    return NotFoundError(
        "no machine profile: measure one with `runner profile`, or name one "
        "with --profile");
  }
  if (a.figure.network_gb_s > 0) {
    profile->network.gb_s = a.figure.network_gb_s;
    profile->network_assumed = true;
  }
  ASSIGN_OR_RETURN(const ClusterSize size, ParseTopology(a.figure.topology));
  std::vector<Scaling> all;
  for (size_t i = 0; i < preparation->facts.size(); ++i) {
    const Experiment& experiment = preparation->sweep().experiments[i];
    if (preparation->facts[i].selected && experiment.model.layers > 0 &&
        experiment.backend == Backend::kEngine) {
      all.push_back(
          Extrapolate(experiment, size, a.figure.fixed_batch, *profile));
    }
  }
  if (all.empty()) {
    return NotFoundError("none of the chosen experiments trains a model");
  }
  if (a.format == "json") {
    return DumpJsonPretty(ScalingJson(all, *profile)) + "\n";
  }
  ASSIGN_OR_RETURN(const results::Format format,
                   results::ParseFormat(a.format));
  std::vector<results::Table> tables;
  for (const Scaling& scaling : all) {
    tables.push_back(ScalingTable(scaling, *profile));
  }
  return results::WriteTables(tables, format, StdoutStyle());
}

}  // namespace

int PredictCommand(const Arguments& arguments) {
  const auto installation = FindInstallation();
  if (!installation.ok()) {
    return Complain(installation.status(), kExitRequest);
  }
  const auto text = PredictText(arguments, *installation);
  if (!text.ok()) {
    return Complain(text.status(), kExitRequest);
  }
  Print(*text);
  return kExitOk;
}

}  // namespace zs
