#include "runner/check/container.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "runner/check/round.h"

namespace zs {
namespace {

constexpr std::array<std::string_view, 3> kEngines = {"docker", "podman",
                                                      "nerdctl"};
// Options of exec whose value is the next word.
constexpr std::array<std::string_view, 9> kWithValue = {
    "-e",        "--env",         "--env-file",    "-u", "--user", "-w",
    "--workdir", "--detach-keys", "--preserve-fds"};

template <typename List>
bool IsIn(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// The first word from AT that is no option of exec; empty: none.
std::string FirstArgument(const std::vector<std::string>& words, size_t at) {
  for (; at < words.size(); ++at) {
    if (!words[at].starts_with('-')) {
      return words[at];
    }
    at += IsIn(kWithValue, words[at]) ? 1 : 0;
  }
  return "";
}

}  // namespace

std::optional<ContainerReach> ContainerOf(
    const std::vector<std::string>& reach) {
  for (size_t i = reach.size(); i-- > 0;) {
    if (!IsIn(kEngines, BaseName(reach[i])) || i + 1 >= reach.size() ||
        reach[i + 1] != "exec") {
      continue;
    }
    const auto here = reach.begin() + static_cast<std::ptrdiff_t>(i);
    return ContainerReach{
        {reach.begin(), here}, reach[i], FirstArgument(reach, i + 2)};
  }
  return std::nullopt;
}

std::vector<std::string> InspectCommand(const ContainerReach& container) {
  return {container.engine, "inspect", "--format",
          "{{.State.Running}} {{.HostConfig.NetworkMode}} "
          "{{.HostConfig.IpcMode}} {{.Image}}",
          container.name};
}

void JudgeContainer(const ContainerReach& container, const std::string& answer,
                    size_t nodes, CheckResult& result) {
  std::string running;
  std::string network;
  std::string ipc;
  std::string image;
  std::istringstream words(PrintedBy(answer).value_or(""));
  words >> running >> network >> ipc >> image;
  result.limit = "running with --network=host" +
                 std::string(nodes > 1 ? "" : " or alone") + " and --ipc=host";
  result.found = container.name + ": ";
  if (network.empty()) {
    result.state = CheckState::kUnknown;
    result.found += OneLineOf(answer);
    return;
  }
  const bool private_network = network != "host" && nodes > 1;
  const bool ok = running == "true" && !private_network;
  result.found += std::string(running == "true" ? "running" : "not running") +
                  ", network " + network + ", IPC " + ipc;
  if (!image.empty()) {
    result.facts["image"] = image;
  }
  result.state = ok ? CheckState::kOk : CheckState::kFailed;
  if (private_network) {
    result.limit +=
        "; start it anew so: in a network of its own no other node reaches it";
  } else if (ok && ipc != "host") {
    // Its ranks share it; what counts is its size, which "shm" looks at.
    result.state = CheckState::kWarning;
  }
}

}  // namespace zs
