#include "runner/sweep/inherited.h"

#include <utility>

#include "runner/agent/login_environment.h"
#include "runner/host/relevant_variable.h"

namespace zs {
namespace {

constexpr int kLoginMs = 10'000;

std::map<std::string, std::string> OfLoginShell() {
  const auto login = ReadLoginEnvironment(kLoginMs);
  return login.ok() ? RelevantVariables(login->variables)
                    : std::map<std::string, std::string>();
}

}  // namespace

InheritedVariables::InheritedVariables() : own_(RelevantVariables()) {}

std::map<std::string, std::string> InheritedVariables::Of(
    const Experiment& experiment) {
  if (!experiment.topology.reach.empty()) {
    return {};
  }
  std::map<std::string, std::string> variables = own_;
  if (experiment.login_shell) {
    if (!login_) {
      login_ = OfLoginShell();
    }
    for (const auto& [name, value] : *login_) {
      variables[name] = value;
    }
  }
  std::erase_if(variables, [&experiment](const auto& variable) {
    return experiment.env.contains(variable.first) ||
           IsOfTheJob(variable.first);
  });
  return variables;
}

}  // namespace zs
