// A program whose answer is waited for.
#ifndef RUNNER_AGENT_RUN_BRIEFLY_H_
#define RUNNER_AGENT_RUN_BRIEFLY_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace zs {

struct BriefRun {
  std::vector<std::string> argv;
  int timeout_ms = 0;
  size_t max_bytes = size_t{64} << 10;  // of what it prints; the rest is cut
  // Words at the end of what it prints, behind which nothing is waited for: its
  // children may keep its output open. Empty: until its output ends.
  std::string_view until;
};

struct BriefResult {
  std::string how;      // "exit 0", "signal 9"
  std::string printed;  // stdout and stderr
};

// Runs it in a session of its own, which is killed where it has said `until` or
// took longer (kDeadlineExceeded).
Result<BriefResult> RunAndRead(const BriefRun& run);

// {MS, PROGRAM, ARG...}: "exit N" or "signal N", a line feed, and at most 64
// KiB of what it printed on stdout and stderr. kDeadlineExceeded where it took
// longer than MS; it and its children are then killed.
Result<std::string> RunBriefly(const std::vector<std::string>& args);

}  // namespace zs

#endif  // RUNNER_AGENT_RUN_BRIEFLY_H_
