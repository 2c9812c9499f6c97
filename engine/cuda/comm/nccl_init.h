// How the ranks of a run come to have one NCCL communicator.
#ifndef ENGINE_CUDA_COMM_NCCL_INIT_H_
#define ENGINE_CUDA_COMM_NCCL_INIT_H_

#include <nccl.h>

#include <string>

#include "base/status.h"
#include "engine/comm/rendezvous.h"

namespace zs::gpu {

// Connects the ranks of RENDEZVOUS with the calling thread's current device.
// kDeadlineExceeded after TIMEOUT_S; kFailedPrecondition where the ranks have
// loaded different versions of NCCL.
Result<ncclComm_t> InitNccl(Rendezvous& rendezvous, double timeout_s);

// The version of the library that is loaded: "2.28.9".
std::string NcclVersion();

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_COMM_NCCL_INIT_H_
