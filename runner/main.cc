// The runner's command line.
#include <cstdio>
#include <string>
#include <vector>

#include "runner/cli/arguments.h"
#include "runner/cli/commands.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/figure_commands.h"
#include "runner/cli/output.h"

namespace {

int Dispatch(const zs::Arguments& arguments) {
  switch (arguments.verb) {
    case zs::Verb::kRun:
      return zs::RunCommand(arguments);
    case zs::Verb::kPlan:
      return zs::PlanCommand(arguments);
    case zs::Verb::kCheck:
      return zs::CheckCommand(arguments);
    case zs::Verb::kExplain:
      return zs::ExplainCommand(arguments);
    case zs::Verb::kReport:
      return zs::ReportCommand(arguments);
    case zs::Verb::kList:
      return zs::ListCommand(arguments);
    case zs::Verb::kShow:
      return zs::ShowCommand(arguments);
    case zs::Verb::kLogs:
      return zs::LogsCommand(arguments);
    case zs::Verb::kBaseline:
      return zs::BaselineCommand(arguments);
    case zs::Verb::kCalibrate:
      return zs::CalibrateCommand(arguments);
    case zs::Verb::kStop:
      return zs::StopCommand(arguments);
    case zs::Verb::kDiagnose:
      return zs::DiagnoseCommand(arguments);
    case zs::Verb::kImport:
      return zs::ImportCommand(arguments);
    case zs::Verb::kProfile:
      return zs::ProfileCommand(arguments);
    case zs::Verb::kPredict:
      return zs::PredictCommand(arguments);
    case zs::Verb::kServe:
      return zs::ServeCommand(arguments);
    case zs::Verb::kExport:
      return zs::ExportCommand(arguments);
    case zs::Verb::kBundle:
      return zs::BundleCommand(arguments);
    case zs::Verb::kVerify:
      return zs::VerifyCommand(arguments);
    case zs::Verb::kWhy:
      return zs::WhyCommand(arguments);
  }
  return zs::kExitRequest;
}

}  // namespace

int main(int argc, char** argv) {
  if (const zs::Status status = zs::GoWhereThePersonStands(); !status.ok()) {
    return zs::Complain(status, zs::kExitRequest);
  }
  const zs::ParsedArguments parsed =
      zs::ParseArguments(std::vector<std::string>(argv + 1, argv + argc));
  if (!parsed.arguments.has_value()) {
    std::fputs(parsed.text.c_str(), parsed.exit_code == 0 ? stdout : stderr);
    return parsed.exit_code;
  }
  return Dispatch(*parsed.arguments);
}
