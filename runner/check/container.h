// The container through which a node is reached: looked at from its host.
#ifndef RUNNER_CHECK_CONTAINER_H_
#define RUNNER_CHECK_CONTAINER_H_

#include <optional>
#include <string>
#include <vector>

#include "runner/check/result.h"

namespace zs {

// `... docker exec -i NAME` taken apart.
struct ContainerReach {
  std::vector<std::string> host;  // the way to the host: what stands before
  std::string engine;             // "docker", "podman", perhaps with a folder
  std::string name;
};

// Of the last container on the way REACH; empty where there is none.
std::optional<ContainerReach> ContainerOf(
    const std::vector<std::string>& reach);

// The command that asks its host about it.
std::vector<std::string> InspectCommand(const ContainerReach& container);

// Judges what that command printed. With several NODES a network of its own is
// a failure, since no other node reaches what listens in there.
void JudgeContainer(const ContainerReach& container, const std::string& answer,
                    size_t nodes, CheckResult& result);

}  // namespace zs

#endif  // RUNNER_CHECK_CONTAINER_H_
