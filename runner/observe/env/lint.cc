#include "runner/observe/env/lint.h"

#include <algorithm>
#include <utility>

#include "runner/observe/env/names.h"
#include "runner/observe/text/cursor.h"

namespace zs {
namespace {

// Names that these programs would read; UCX's are too many to list, and
// UCX itself warns of unknown ones.
bool IsOurs(std::string_view name) {
  for (const std::string_view start :
       {"NCCL_", "GLOO_", "CUDA_", "TORCH_NCCL_", "TORCH_FR_"}) {
    if (name.substr(0, start.size()) == start) {
      return true;
    }
  }
  return false;
}

// Edits (insert, delete, replace, swap of neighbours) from A to B.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1,
                                     std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

// The known name that differs least; empty where none is near.
std::string Nearest(std::string_view name) {
  std::string_view best;
  size_t least = std::max<size_t>(2, name.size() / 4) + 1;
  for (const std::string_view known : KnownNames()) {
    const size_t longer = std::max(known.size(), name.size());
    const size_t shorter = std::min(known.size(), name.size());
    if (longer - shorter >= least) {
      continue;
    }
    const size_t distance = Distance(name, known);
    if (distance < least) {
      least = distance;
      best = known;
    }
  }
  return std::string(best);
}

bool Known(std::string_view name) {
  const auto names = KnownNames();
  return std::binary_search(names.begin(), names.end(), name);
}

std::string ValueOf(const Environment& environment, std::string_view name) {
  const auto it = environment.find(name);
  return it == environment.end() ? std::string() : it->second;
}

class Linter {
 public:
  Linter(const Environment& environment, const LintContext& context)
      : environment_(environment), context_(context) {}

  std::vector<EnvironmentIssue> Run() {
    for (const auto& [name, value] : environment_) {
      CheckName(name);
      CheckVersion(name);
    }
    CheckPairs();
    CheckValues();
    CheckDevices("NCCL_SOCKET_IFNAME", context_.interfaces, "interface");
    CheckDevices("GLOO_SOCKET_IFNAME", context_.interfaces, "interface");
    CheckDevices("NCCL_IB_HCA", context_.hcas, "HCA");
    return std::move(issues_);
  }

 private:
  void Add(std::string name, std::string message, std::string nearest = "") {
    issues_.push_back(
        {std::move(name), std::move(nearest), std::move(message)});
  }

  bool Set(std::string_view name) const {
    return environment_.find(name) != environment_.end();
  }
  bool Is(std::string_view name, std::string_view value) const {
    return ValueOf(environment_, name) == value;
  }

  void CheckName(const std::string& name) {
    if (!IsOurs(name) || Known(name)) {
      return;
    }
    std::string nearest = Nearest(name);
    std::string message = name + " is no setting of any known version";
    if (!nearest.empty()) {
      message += "; did you mean " + nearest + "?";
    }
    Add(name, std::move(message), std::move(nearest));
  }

  void CheckVersion(const std::string& name) {
    int major = 0;
    int minor = 0;
    Cursor cursor(context_.nccl_version);
    if (!cursor.TakeInt(major) || !cursor.Take(".") || !cursor.TakeInt(minor)) {
      return;
    }
    for (const VersionedName& since : NamesSince()) {
      if (since.name == name && std::make_pair(major, minor) <
                                    std::make_pair(since.major, since.minor)) {
        Add(name, name + " has no effect before NCCL " +
                      std::to_string(since.major) + "." +
                      std::to_string(since.minor) + "; here it is " +
                      context_.nccl_version);
      }
    }
  }

  void CheckPairs() {
    if (Is("NCCL_IB_DISABLE", "1") && Set("NCCL_IB_HCA")) {
      Add("NCCL_IB_HCA",
          "NCCL_IB_HCA chooses devices while "
          "NCCL_IB_DISABLE=1 turns them all off");
    }
    if (Is("NCCL_NET", "Socket") && Set("NCCL_IB_HCA")) {
      Add("NCCL_IB_HCA", "NCCL_IB_HCA has no effect with NCCL_NET=Socket");
    }
    if (Is("NCCL_NET", "IB") && Is("NCCL_IB_DISABLE", "1")) {
      Add("NCCL_NET", "NCCL_NET=IB asks for what NCCL_IB_DISABLE=1 forbids");
    }
    if (Is("NCCL_P2P_DISABLE", "1") && Set("NCCL_P2P_LEVEL")) {
      Add("NCCL_P2P_LEVEL",
          "NCCL_P2P_LEVEL has no effect with NCCL_P2P_DISABLE=1");
    }
    const std::string nccl = ValueOf(environment_, "NCCL_SOCKET_IFNAME");
    const std::string gloo = ValueOf(environment_, "GLOO_SOCKET_IFNAME");
    if (!nccl.empty() && !gloo.empty() && nccl != gloo && nccl[0] != '^' &&
        nccl != "=" + gloo) {
      Add("GLOO_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME=" + gloo +
                                    " and NCCL_SOCKET_IFNAME=" + nccl +
                                    " name different interfaces");
    }
    if (Is("CUDA_LAUNCH_BLOCKING", "1")) {
      Add("CUDA_LAUNCH_BLOCKING",
          "CUDA_LAUNCH_BLOCKING=1 makes every kernel "
          "launch wait: for finding faults only");
    }
  }

  void CheckValues() {
    const std::string debug = ValueOf(environment_, "NCCL_DEBUG");
    if (!debug.empty()) {
      std::string upper = debug;
      std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      });
      if (upper != "VERSION" && upper != "WARN" && upper != "INFO" &&
          upper != "TRACE" && upper != "ABORT" && upper != "NONE") {
        Add("NCCL_DEBUG", "NCCL_DEBUG=" + debug +
                              " is no level; use VERSION, WARN, INFO or "
                              "TRACE");
      }
    }
    if (context_.nodes > 1 && Is("NCCL_SOCKET_IFNAME", "lo")) {
      Add("NCCL_SOCKET_IFNAME",
          "NCCL_SOCKET_IFNAME=lo cannot reach the "
          "other nodes");
    }
  }

  // Whether one of the DEVICES starts with an entry of the list that NAME
  // holds; "^" excludes, "=" wants the whole name.
  void CheckDevices(const std::string& name,
                    const std::vector<std::string>& devices,
                    const std::string& kind) {
    std::string value = ValueOf(environment_, name);
    if (devices.empty() || value.empty() || value[0] == '^') {
      return;
    }
    const bool exact = value[0] == '=';
    Cursor cursor(std::string_view(value).substr(exact ? 1 : 0));
    while (!cursor.empty()) {
      std::string_view entry = cursor.Until(",");
      cursor.Skip(1);
      entry = entry.substr(0, entry.find(':'));
      const bool found = std::any_of(
          devices.begin(), devices.end(), [&](const std::string& device) {
            return exact ? device == entry
                         : device.substr(0, entry.size()) == entry;
          });
      if (!found) {
        std::string all;
        for (const std::string& device : devices) {
          all += (all.empty() ? "" : ", ") + device;
        }
        Add(name, name + " names " + kind + " " + std::string(entry) +
                      ", which is not there; present: " + all);
        issues_.back().is_error = true;
      }
    }
  }

  const Environment& environment_;
  const LintContext& context_;
  std::vector<EnvironmentIssue> issues_;
};

bool IsName(std::string_view word) {
  if (word.empty() || IsDigit(word[0])) {
    return false;
  }
  return std::all_of(word.begin(), word.end(), [](char c) {
    return IsDigit(c) || c == '_' || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z');
  });
}

}  // namespace

std::vector<EnvironmentIssue> LintEnvironment(const Environment& environment,
                                              const LintContext& context) {
  return Linter(environment, context).Run();
}

Environment EnvironmentIn(std::string_view command) {
  Environment environment;
  Cursor cursor(command);
  // What stands before the first assignment is a prompt or a label.
  for (int words = 0; words < 64 && !cursor.empty(); ++words) {
    const std::string_view word = cursor.TakeWord();
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos || !IsName(word.substr(0, equals))) {
      if (!environment.empty()) {
        break;
      }
      continue;
    }
    std::string_view value = word.substr(equals + 1);
    if (value.size() > 1 && (value[0] == '\'' || value[0] == '"')) {
      value = value.substr(1, value.find(value[0], 1) - 1);
    }
    environment.emplace(word.substr(0, equals), value);
  }
  return environment;
}

}  // namespace zs
