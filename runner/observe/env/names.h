// The settings that NCCL, CUDA, Gloo and PyTorch read.
#ifndef RUNNER_OBSERVE_ENV_NAMES_H_
#define RUNNER_OBSERVE_ENV_NAMES_H_

#include <span>
#include <string_view>

namespace zs {

struct VersionedName {
  std::string_view name;
  int major = 0;
  int minor = 0;
};

// All known names, sorted.
std::span<const std::string_view> KnownNames();

// NCCL names that older versions do not read.
std::span<const VersionedName> NamesSince();

}  // namespace zs

#endif  // RUNNER_OBSERVE_ENV_NAMES_H_
