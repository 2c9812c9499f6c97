// Names of experiments, hosts and environment variables: what they may look
// like, and how a host pattern expands. Strict, since names become folders and
// host names become arguments of ssh.
#ifndef RUNNER_PLAN_SPEC_HOSTS_H_
#define RUNNER_PLAN_SPEC_HOSTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace zs {

inline constexpr size_t kMaxHosts = 4096;

// 1 to 100 characters of [A-Za-z0-9._-] that do not begin with '.' or '-'.
bool IsName(std::string_view text);

// 1 to 253 characters of [A-Za-z0-9._-] that begin with a letter or digit.
bool IsHost(std::string_view text);

// [A-Za-z_][A-Za-z0-9_]*.
bool IsVariableName(std::string_view text);

// The hosts that PATTERN names, in order: a comma-separated list of names,
// each with ranges in brackets as Slurm writes them: "g[0033-0036,0040]",
// "r[1-2]n[1-4]". Leading zeros are kept. kInvalidArgument says what is not
// allowed: an empty name, another character, a range that goes down, more than
// kMaxHosts hosts.
Result<std::vector<std::string>> ExpandHosts(std::string_view pattern);

}  // namespace zs

#endif  // RUNNER_PLAN_SPEC_HOSTS_H_
