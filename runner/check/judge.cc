#include "runner/check/judge.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/shell.h"

namespace zs {
namespace {

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// "1.5 s" and the like, with three digits behind the point.
std::string Seconds(double s) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f s", s);
  return text;
}

std::string KindName(WantedPath::Kind kind) {
  switch (kind) {
    case WantedPath::Kind::kFile:
      return "a file";
    case WantedPath::Kind::kFolder:
      return "a folder";
    case WantedPath::Kind::kWritableFolder:
      return "a folder that may be written";
    case WantedPath::Kind::kAny:
      return "a file or a folder";
  }
  return "";
}

}  // namespace

std::optional<std::string> FieldOf(std::string_view lines,
                                   std::string_view name) {
  for (const std::string_view line : LinesOf(lines)) {
    if (line.size() > name.size() && line.starts_with(name) &&
        line[name.size()] == ' ') {
      return std::string(line.substr(name.size() + 1));
    }
  }
  return std::nullopt;
}

std::optional<int64_t> NumberOf(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end
             ? std::optional<int64_t>(number)
             : std::nullopt;
}

std::vector<std::string> AddressesOf(std::string_view host_lines) {
  std::vector<std::string> addresses;
  for (const std::string_view line : LinesOf(host_lines)) {
    if (line.starts_with("address ")) {
      // "address INTERFACE ADDRESS", and perhaps " MASK".
      const size_t begin = std::min(line.find(' ', 8), line.size() - 1) + 1;
      addresses.emplace_back(line.substr(begin, line.find(' ', begin) - begin));
    }
  }
  return addresses;
}

std::optional<std::string> FirstAddress(std::string_view getent_answer) {
  const std::vector<std::string_view> lines = LinesOf(getent_answer);
  if (lines.size() < 2 || lines[0] != "exit 0") {
    return std::nullopt;
  }
  return std::string(lines[1].substr(0, lines[1].find(' ')));
}

bool IsLoopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1";
}

bool IsNumericAddress(const std::string& text) {
  unsigned char bytes[sizeof(in6_addr)];
  return ::inet_pton(AF_INET, text.c_str(), bytes) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

void JudgePath(const WantedPath& wanted, std::string_view lines,
               CheckResult& result) {
  const std::string kind = FieldOf(lines, "kind").value_or("");
  const bool writable = FieldOf(lines, "writable") == "yes";
  const bool is_file = wanted.kind == WantedPath::Kind::kFile;
  const bool ok =
      (wanted.kind == WantedPath::Kind::kAny
           ? kind == "file" || kind == "folder"
           : kind == (is_file ? "file" : "folder")) &&
      (wanted.kind != WantedPath::Kind::kWritableFolder || writable);
  result.state = kind.empty() ? CheckState::kUnknown
                 : ok         ? CheckState::kOk
                              : CheckState::kFailed;
  result.found = wanted.path + ": " + (kind.empty() ? "no answer" : kind);
  if (is_file && ok) {
    result.found +=
        " of " + FieldOf(lines, "size_bytes").value_or("?") + " bytes";
  } else if (wanted.kind == WantedPath::Kind::kWritableFolder &&
             kind == "folder" && !writable) {
    result.found += ", not writable";
  }
  result.limit = KindName(wanted.kind);
}

void JudgeAtLeast(std::string_view what, std::optional<int64_t> found,
                  int64_t wanted, CheckResult& result) {
  const bool enough =
      found && (*found == -1 || (wanted != -1 && *found >= wanted));
  result.state = !found   ? CheckState::kUnknown
                 : enough ? CheckState::kOk
                          : CheckState::kFailed;
  result.found = std::string(what) + ": " +
                 (!found         ? "no answer"
                  : *found == -1 ? "unlimited"
                                 : std::to_string(*found));
  result.limit =
      wanted == -1 ? "unlimited" : "at least " + std::to_string(wanted);
}

void JudgeLimit(const std::string& field, const std::string& lines,
                int64_t wanted, CheckResult& result) {
  JudgeAtLeast(field, NumberOf(FieldOf(lines, field).value_or("")), wanted,
               result);
  if (result.state == CheckState::kOk) {
    return;
  }
  if (field == "memlock_bytes" && FieldOf(lines, "ipc_lock") == "yes") {
    result.state = CheckState::kOk;
    result.found += ", which does not bind a process with CAP_IPC_LOCK";
    return;
  }
  result.limit +=
      "; raise it in /etc/security/limits.conf, or for the service or "
      "container by which the node is reached";
}

void JudgeUlimit(const std::string& name, int64_t value,
                 const std::string& lines, CheckResult& result) {
  JudgeAtLeast("hard limit of " + name,
               NumberOf(FieldOf(lines, "hard_" + name).value_or("")), value,
               result);
  if (result.state == CheckState::kOk) {
    return;
  }
  if (result.state == CheckState::kFailed &&
      FieldOf(lines, "sys_resource") == "yes") {
    result.state = CheckState::kOk;
    result.found += ", which does not bind a process with CAP_SYS_RESOURCE";
    return;
  }
  result.limit += ", which ulimits." + name +
                  " asks for; raise the hard limit in "
                  "/etc/security/limits.conf, or for the service or container "
                  "by which the node is reached";
}

void JudgeHash(const WantedPath& wanted, const std::string& hash,
               CheckResult& result) {
  const bool ok = wanted.hash.empty() || wanted.hash == hash;
  result.state = ok ? CheckState::kOk : CheckState::kFailed;
  result.found = wanted.path + ": " + hash;
  result.limit = ok ? "equal on all nodes"
                    : "this host's content, which the experiment's key is "
                      "formed of: " +
                          wanted.hash;
  result.subject = wanted.path;
  result.value = hash;
}

void JudgeClock(double skew_s, double uncertainty_s, double allowed_s,
                CheckResult& result) {
  const double sure_s = std::abs(skew_s) - uncertainty_s;
  // Where the answer took so long, a clock that is out looks as a good one
  // does.
  const bool known = uncertainty_s <= allowed_s;
  result.state = sure_s > allowed_s ? CheckState::kFailed
                 : known            ? CheckState::kOk
                                    : CheckState::kUnknown;
  result.found = Seconds(skew_s) + " ahead of this host (known to within " +
                 Seconds(uncertainty_s) + ")";
  result.limit = "within " + Seconds(allowed_s) +
                 (result.state == CheckState::kOk ? ""
                  : result.state == CheckState::kUnknown
                      ? "; the node answers too slowly to tell, or set "
                        "checks.clock_skew_s higher"
                      : "; set the clocks by NTP (timedatectl, chronyc)");
}

void JudgeMasterAddress(const std::string& address,
                        const std::vector<std::string>& of_master, int nodes,
                        CheckResult& result) {
  const bool own =
      std::find(of_master.begin(), of_master.end(), address) != of_master.end();
  const bool loopback = IsLoopback(address) && nodes > 1;
  result.state = own && !loopback ? CheckState::kOk : CheckState::kFailed;
  result.found = address;
  result.limit = "an address of the first node";
  if (loopback) {
    result.found += ", a loopback address that other nodes cannot reach";
    result.limit +=
        " that the others reach; take the name out of the 127.x line of "
        "/etc/hosts there, or give the address itself";
  } else if (!own) {
    result.found += ", which the first node does not have";
  }
}

std::string RepeatOn(const std::vector<std::string>& reach,
                     const std::vector<std::string>& command) {
  if (reach.empty()) {
    return ShellLine(command);
  }
  // Through stdin, so that it does not matter whether a shell reads the words.
  return "echo " + ShellLine({ShellLine(command)}) + " | " + ShellLine(reach) +
         " sh";
}

}  // namespace zs
