// A child process that is given a text and answers with one, within limits.
#ifndef RUNNER_PLAN_EVAL_SUBPROCESS_H_
#define RUNNER_PLAN_EVAL_SUBPROCESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace zs {

enum class ChildEnd {
  kExited,     // with `code`
  kSignalled,  // by signal `code`
  kTimedOut,   // killed, since the time was up
  kFlooded,    // killed, since it wrote too much
};

struct ChildOutcome {
  ChildEnd end = ChildEnd::kExited;
  int code = 0;
  std::string out;
  std::string err;  // at most 64 KiB; more is dropped
};

// Starts ARGV (argv[0] is a path) with an empty environment and INPUT as its
// standard input, and waits for its end, at most TIMEOUT_S and for at most
// MAX_OUT_BYTES of output. The child is gone when this returns.
Result<ChildOutcome> RunChild(const std::vector<std::string>& argv,
                              const std::string& input, double timeout_s,
                              int64_t max_out_bytes);

}  // namespace zs

#endif  // RUNNER_PLAN_EVAL_SUBPROCESS_H_
