// CUDA's errors as Status.
#ifndef ENGINE_CUDA_CHECK_H_
#define ENGINE_CUDA_CHECK_H_

#include <cuda_runtime_api.h>

#include "base/status.h"

namespace zs::gpu {

// OK, or "WHAT: NAME (text of CUDA)". Out of memory is kResourceExhausted, no
// device or an old driver kUnavailable, everything else kInternal.
Status ToStatus(cudaError_t error, const char* what);

// The status of the launch before it: an error of an earlier asynchronous
// operation may show here too.
Status LaunchStatus(const char* kernel);

}  // namespace zs::gpu

// Returns from the enclosing function where a CUDA runtime call fails.
#define ZS_RETURN_IF_CUDA_ERROR(call) \
  RETURN_IF_ERROR(::zs::gpu::ToStatus((call), #call))

#endif  // ENGINE_CUDA_CHECK_H_
