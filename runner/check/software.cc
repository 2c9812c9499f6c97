#include "runner/check/software.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/shell.h"
#include "runner/check/round.h"

namespace zs {
namespace {

constexpr char kPythonVersions[] = R"sh("$1" -c '
import sys
from importlib import metadata
print("version python", sys.version.split()[0])
for name in ("torch", "megatron-core", "transformer-engine", "nvidia-nccl-cu12", "nvidia-nccl-cu13", "triton", "numpy"):
    try:
        print("version", name, metadata.version(name))
    except metadata.PackageNotFoundError:
        pass
')sh";

// That it is not there is said by the check "path".
constexpr char kInFolder[] = R"sh([ -z "$2" ] || cd -- "$2" 2> /dev/null
)sh";

constexpr char kProgram[] =
    R"sh(p=$(command -v -- "$1") || { echo "not in PATH=$PATH"; exit 1; }
)sh";

// Its files may print before the answer.
constexpr char kLoginProgram[] =
    R"sh(p=$("${SHELL:-/bin/sh}" -lc 'command -v -- "$1" || { echo "not in PATH=$PATH"; exit 1; }' sh "$1") || { echo "$p"; exit 1; }
p=$(printf '%s\n' "$p" | tail -n 1)
)sh";

// What the shell has built in ($p has no '/') is a program for everybody else.
// Files beyond 64 MiB count by size, beginning and end.
constexpr char kContent[] = R"sh(h() {
  n=$(wc -c < "$1") && if [ "$n" -le 67108864 ]
  then sha256sum < "$1" | cut -c1-64
  else echo "$n $({ head -c 1048576 "$1"; tail -c 1048576 "$1"; } | sha256sum | cut -c1-64)"
  fi
}
f=$p
case $p in
*/*) ;;
*) IFS=:; for d in $PATH; do [ -f "$d/$1" ] && f=$d/$1 && break; done; unset IFS ;;
esac
echo "content program $(h "$f")"
shift 2
i=1
for w; do
  [ -f "$w" ] && echo "content word $i $(h "$w")"
  i=$((i + 1))
done
echo "$p"
)sh";

// Step by step, since a pipe tells the end of its last program alone.
constexpr char kTree[] = R"sh(cd -- "$1" || exit 1
l=$(find . -type d \( -name .git -o -name __pycache__ \) -prune -o -type f ! -name '*.pyc' -print) || exit 1
[ -n "$l" ] || { echo "no file below $1"; exit 1; }
l=$(printf '%s\n' "$l" | LC_ALL=C sort) && [ -n "$l" ] || exit 1
h=$(printf '%s\n' "$l" | tr '\n' '\0' | xargs -0 sha256sum) && [ -n "$h" ] || exit 1
h=$(printf '%s\n' "$h" | sha256sum) || exit 1
echo "${h%% *}"
c=$(git -c safe.directory='*' rev-parse HEAD 2>/dev/null) && echo "commit $c"
true)sh";

std::vector<std::string> LinesIn(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

bool IsHash(const std::string& line) {
  return line.size() == 64 &&
         line.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// "content program HASH" and "content word N HASH".
void AddContent(std::string_view line,
                std::map<std::string, std::string>& facts) {
  constexpr std::string_view kContentOf = "content ";
  constexpr std::string_view kWord = "word ";
  if (!line.starts_with(kContentOf)) {
    return;
  }
  line.remove_prefix(kContentOf.size());
  const size_t blank =
      line.find(' ', line.starts_with(kWord) ? kWord.size() : 0);
  if (blank != std::string_view::npos) {
    facts[std::string(line.substr(0, blank))] = line.substr(blank + 1);
  }
}

}  // namespace

std::string PythonVersionScript() {
  return kPythonVersions;
}

std::string ProgramScript(bool login_shell) {
  return std::string(kInFolder) + (login_shell ? kLoginProgram : kProgram) +
         kContent;
}

std::string WithPath(const std::string& path, const std::string& script) {
  return path.empty()
             ? script
             : "PATH=" + ShellLine({path}) + "\nexport PATH\n" + script;
}

std::string TreeScript() {
  return kTree;
}

std::vector<CheckResult> JudgeVersions(const std::string& lines,
                                       const CheckResult& node) {
  CheckResult result = node;
  result.limit = "equal on all nodes";
  std::vector<CheckResult> results;
  for (const std::string& line : LinesIn(lines)) {
    const size_t blank = line.find(' ');
    result.state = CheckState::kOk;
    result.subject = line.substr(0, blank);
    result.value = blank == std::string::npos ? "" : line.substr(blank + 1);
    result.found = result.subject + " " + result.value;
    results.push_back(result);
  }
  return results;
}

void JudgeMachine(const std::string& lines, CheckResult& result) {
  for (const std::string& line : LinesIn(lines)) {
    const size_t blank = line.find(' ');
    if (blank != std::string::npos) {
      result.facts[line.substr(0, blank)] = line.substr(blank + 1);
    }
  }
  const auto fact = [&result](const char* name) {
    const auto found = result.facts.find(name);
    return found == result.facts.end() ? std::string("?") : found->second;
  };
  result.state = result.facts.empty() ? CheckState::kUnknown : CheckState::kOk;
  result.found = fact("cpu") + ", " + fact("cores") + " cores, " +
                 fact("memory_gib") + " GiB, " + fact("os");
  result.limit = "only told: the experiment's key has it";
}

std::vector<CheckResult> JudgePythonVersions(const std::string& answer,
                                             const CheckResult& node) {
  constexpr std::string_view kMark = "version ";
  if (const std::optional<std::string> printed = PrintedBy(answer)) {
    // Warnings of the interpreter lie between the lines.
    std::string lines;
    for (const std::string& line : LinesIn(*printed)) {
      if (line.starts_with(kMark)) {
        lines += line.substr(kMark.size()) + "\n";
      }
    }
    if (!lines.empty()) {
      return JudgeVersions(lines, node);
    }
  }
  CheckResult result = node;
  result.limit = "equal on all nodes";
  result.found = "not told: " + OneLineOf(answer);
  return {result};
}

void NameMissingVersions(std::vector<CheckResult>& results) {
  std::map<std::string, CheckResult> subjects;  // with an example of each
  std::map<std::string, std::set<std::string>> of_nodes;
  std::set<std::string> silent;  // of these nodes something is unknown already
  for (const CheckResult& result : results) {
    if (result.name != "version") {
      continue;
    }
    if (result.subject.empty() || result.state != CheckState::kOk) {
      silent.insert(result.node);
      continue;
    }
    subjects.emplace(result.subject, result);
    of_nodes[result.node].insert(result.subject);
  }
  for (const auto& [node, named] : of_nodes) {
    for (const auto& [subject, example] : subjects) {
      if (!named.contains(subject) && !silent.contains(node)) {
        CheckResult missing = example;
        missing.node = node;
        missing.repeat.clear();
        missing.value.clear();
        missing.found = subject + ": not there";
        results.push_back(std::move(missing));
      }
    }
  }
}

void JudgeProgram(const std::string& program, bool own_path,
                  const std::string& answer, CheckResult& result) {
  const std::optional<std::string> place = PrintedBy(answer);
  result.state = place ? CheckState::kOk : CheckState::kFailed;
  // The last line: a login shell's files may print before it.
  const std::vector<std::string> lines = LinesIn(place.value_or(""));
  result.found =
      program + ": " + (lines.empty() ? OneLineOf(answer) : lines.back());
  for (const std::string& line : lines) {
    AddContent(line, result.facts);
  }
  result.limit =
      own_path
          ? "a program in the PATH that env gives; correct that, or give the "
            "program's whole path"
          : "a program there; give its whole path, or PATH in env, or "
            "login_shell: true, without which no file of the login shell is "
            "read";
}

void JudgeTree(const std::string& path, const std::string& answer,
               CheckResult& result) {
  result.limit = "the same files on all nodes";
  const std::optional<std::string> printed = PrintedBy(answer);
  const std::vector<std::string> lines = LinesIn(printed.value_or(""));
  if (lines.empty() || !IsHash(lines[0])) {
    // Nothing that could be compared.
    result.state = CheckState::kUnknown;
    result.found = path + ": " + OneLineOf(answer);
    return;
  }
  result.state = CheckState::kOk;
  result.subject = path;
  result.value = lines[0];
  result.found = path + ": " + lines[0].substr(0, 16) +
                 (lines.size() > 1 ? ", " + lines[1].substr(0, 19) : "");
}

}  // namespace zs
