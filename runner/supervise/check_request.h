// What a request must look like before anything is started.
#ifndef RUNNER_SUPERVISE_CHECK_REQUEST_H_
#define RUNNER_SUPERVISE_CHECK_REQUEST_H_

#include "base/status.h"
#include "runner/supervise/request.h"

namespace zs {

// OK, or what is wrong with REQUEST: no rank, a rank or node twice, an empty
// argv, a token with other characters than letters, digits, '-' and '_'.
Status CheckRequest(const RunRequest& request);

}  // namespace zs

#endif  // RUNNER_SUPERVISE_CHECK_REQUEST_H_
