// why: where in the Jsonnet a value comes from.
#include <string>

#include "base/json.h"
#include "runner/cli/exit_code.h"
#include "runner/cli/figure_commands.h"
#include "runner/cli/output.h"
#include "runner/cli/prepare_arguments.h"
#include "runner/host/installation.h"
#include "runner/host/machine.h"
#include "runner/plan/why.h"

namespace zs {
namespace {

std::string TextOf(const Arguments& a, const Provenance& found) {
  const std::string what = a.name + " " + a.figure.path;
  if (found.value.empty()) {
    return what +
           " is not given by the file: it has its default "
           "(docs/experiment-file.md), or is no field\n";
  }
  std::string text = what + " = " + found.value + "\n";
  bool decided = false;
  for (const Origin& origin : found.origins) {
    decided = decided || origin.decides;
    text += "  " + origin.file + ":" + std::to_string(origin.line) + ": " +
            origin.text + "\n      " +
            (origin.decides ? "decides it: without it, " + origin.without
                            : "is read on the way to it") +
            "\n";
  }
  if (!decided) {
    text += "  unknown: of " + std::to_string(found.candidates) +
            " definitions of that name none changes it when taken away; its "
            "name may be computed\n";
  }
  return text;
}

}  // namespace

int WhyCommand(const Arguments& arguments) {
  const auto installation = FindInstallation();
  if (!installation.ok()) {
    return Complain(installation.status(), kExitRequest);
  }
  EvalRequest request = EvalRequestOf(arguments, *installation);
  const auto machine = ThisMachine();
  if (!machine.ok()) {
    return Complain(machine.status(), kExitRequest);
  }
  request.machine = DumpJson(MachineForFile(*machine));
  const auto found =
      FindOrigins(request, arguments.name, arguments.figure.path);
  if (!found.ok()) {
    return Complain(found.status(), kExitRequest);
  }
  Print(TextOf(arguments, *found));
  return kExitOk;
}

}  // namespace zs
