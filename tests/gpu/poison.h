// Leaves no numbers where kernels must not look.
#ifndef TESTS_GPU_POISON_H_
#define TESTS_GPU_POISON_H_

#include <cuda_runtime_api.h>

#include "base/status.h"

namespace zs::gpu {

// Fills the registers and the shared memory of all multiprocessors with NaN. A
// kernel that runs next and uses what it has not written finds them there.
Status LaunchPoison(cudaStream_t stream);

}  // namespace zs::gpu

#endif  // TESTS_GPU_POISON_H_
