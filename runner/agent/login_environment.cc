#include "runner/agent/login_environment.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <utility>

#include "base/spawn.h"
#include "runner/agent/run_briefly.h"

namespace zs {
namespace {

constexpr std::string_view kBegin = "zerosweep-environment-begins\n";
constexpr std::string_view kEnd = "zerosweep-environment-ends";
// Understood by sh, bash, zsh, ksh, fish; csh has no -c for login shells.
constexpr char kCommand[] =
    "printf '\\nzerosweep-environment-begins\\n'; env -0; "
    "printf zerosweep-environment-ends";
constexpr size_t kMaxBytes = size_t{4} << 20;
constexpr std::string_view kOfTheShell[] = {"_", "PWD", "OLDPWD", "SHLVL"};

// The shell of this user in /etc/passwd; empty: unknown.
std::string ShellOfUser() {
  const std::string uid = ":" + std::to_string(::geteuid()) + ":";
  std::ifstream file("/etc/passwd");
  for (std::string line; std::getline(file, line);) {
    const size_t password = line.find(':');
    const size_t id = line.find(':', password + 1);
    if (password != std::string::npos && id != std::string::npos &&
        line.compare(id, uid.size(), uid) == 0) {
      return line.substr(line.rfind(':') + 1);
    }
  }
  return "";
}

std::string Shell() {
  const char* const named = std::getenv("SHELL");
  if (named != nullptr && named[0] == '/') {
    return named;
  }
  const std::string of_user = ShellOfUser();
  return of_user.empty() ? "/bin/sh" : of_user;
}

// The end of TEXT on one line.
std::string LastWords(const std::string& text) {
  constexpr size_t kMost = 300;
  std::string words =
      text.size() > kMost ? text.substr(text.size() - kMost) : text;
  std::replace_if(
      words.begin(), words.end(),
      [](unsigned char c) { return c < 32 || c == 127; }, ' ');
  return words;
}

}  // namespace

Result<std::vector<std::string>> ParseLoginEnvironment(
    const std::string& printed) {
  const size_t begin = printed.rfind(kBegin);
  const size_t end = printed.rfind(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    return NotFoundError("no environment");
  }
  std::vector<std::string> variables;
  std::string_view rest(printed);
  rest = rest.substr(begin + kBegin.size(), end - begin - kBegin.size());
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    const std::string_view name = entry.substr(0, entry.find('='));
    if (name.size() < entry.size() && !name.empty() &&
        std::find(std::begin(kOfTheShell), std::end(kOfTheShell), name) ==
            std::end(kOfTheShell)) {
      variables.emplace_back(entry);
    }
  }
  return variables;
}

Result<LoginEnvironment> ReadLoginEnvironment(int timeout_ms) {
  LoginEnvironment login;
  login.shell = Shell();
  BriefRun run;
  run.argv = {login.shell, "-lc", kCommand};
  run.timeout_ms = timeout_ms;
  run.max_bytes = kMaxBytes;
  run.until = kEnd;
  const auto ended = RunAndRead(run);
  if (!ended.ok()) {
    return ended.status().WithContext("login shell");
  }
  auto variables = ParseLoginEnvironment(ended->printed);
  if (!variables.ok()) {
    return FailedPreconditionError(
        "login shell " + login.shell + " did not tell its environment: " +
        ended->how + "; it printed '" + LastWords(ended->printed) + "'");
  }
  login.variables = *std::move(variables);
  const std::vector<std::string> own = OwnEnvironment();
  for (const std::string& entry : login.variables) {
    if (std::find(own.begin(), own.end(), entry) == own.end()) {
      login.added.push_back(entry.substr(0, entry.find('=')));
    }
  }
  return login;
}

}  // namespace zs
