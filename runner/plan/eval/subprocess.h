// A child process that answers with a text, within limits.
#ifndef RUNNER_PLAN_EVAL_SUBPROCESS_H_
#define RUNNER_PLAN_EVAL_SUBPROCESS_H_

#include <cstdint>
#include <functional>
#include <string>

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

// Calls WORK in a copy of this process (fork), whose exit status it gives, with
// an empty environment and no descriptors but /dev/null and two pipes, and
// waits for its end, at most TIMEOUT_S from its start and for at most
// MAX_OUT_BYTES of output. MEANWHILE, where it is not empty, is called in this
// process as soon as the child has started. The child is gone when this
// returns. This process must have one thread only: locks of others would stay
// locked in the copy.
Result<ChildOutcome> RunChild(const std::function<int()>& work,
                              double timeout_s, int64_t max_out_bytes,
                              const std::function<void()>& meanwhile);

}  // namespace zs

#endif  // RUNNER_PLAN_EVAL_SUBPROCESS_H_
