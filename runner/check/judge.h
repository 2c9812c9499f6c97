// What answers of agents mean: pure functions from text to check results.
#ifndef RUNNER_CHECK_JUDGE_H_
#define RUNNER_CHECK_JUDGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/check/result.h"
#include "runner/check/wanted_path.h"

namespace zs {

// The value behind NAME in lines "NAME VALUE"; of several the first.
std::optional<std::string> FieldOf(std::string_view lines,
                                   std::string_view name);

// TEXT as a whole number; empty for anything else.
std::optional<int64_t> NumberOf(std::string_view text);

// The addresses in the lines "address INTERFACE ADDRESS MASK" of a host.
std::vector<std::string> AddressesOf(std::string_view host_lines);

// The first address that "exit 0" and the lines of getent ahosts tell; empty
// where the name is not known.
std::optional<std::string> FirstAddress(std::string_view getent_answer);

// 127.0.0.0/8 and ::1.
bool IsLoopback(std::string_view address);

// Whether TEXT is a numeric address of either version.
bool IsNumericAddress(const std::string& text);

// Sets state, found and limit of RESULT.
void JudgePath(const WantedPath& wanted, std::string_view lines,
               CheckResult& result);
void JudgeAtLeast(std::string_view what, std::optional<int64_t> found,
                  int64_t wanted, CheckResult& result);
// One limit of the agent's answer to "limits".
void JudgeLimit(const std::string& field, const std::string& lines,
                int64_t wanted, CheckResult& result);
// Whether a process can get NAME of VALUE (-1: unlimited), by the agent's
// answer to "limits".
void JudgeUlimit(const std::string& name, int64_t value,
                 const std::string& lines, CheckResult& result);
void JudgeHash(const WantedPath& wanted, const std::string& hash,
               CheckResult& result);
// SKEW_S is known to within UNCERTAINTY_S.
void JudgeClock(double skew_s, double uncertainty_s, double allowed_s,
                CheckResult& result);
void JudgeMasterAddress(const std::string& address,
                        const std::vector<std::string>& of_master, int nodes,
                        CheckResult& result);

// COMMAND as it is carried out by hand on the node behind REACH.
std::string RepeatOn(const std::vector<std::string>& reach,
                     const std::vector<std::string>& command);

}  // namespace zs

#endif  // RUNNER_CHECK_JUDGE_H_
