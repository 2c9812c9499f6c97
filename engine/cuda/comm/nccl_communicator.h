// Collective operations between GPUs, by NCCL.
#ifndef ENGINE_CUDA_COMM_NCCL_COMMUNICATOR_H_
#define ENGINE_CUDA_COMM_NCCL_COMMUNICATOR_H_

#include <cuda_runtime_api.h>

#include <memory>
#include <string>

#include "base/status.h"
#include "engine/comm/communicator.h"
#include "engine/comm/rendezvous.h"
#include "engine/cuda/backend.h"

namespace zs::gpu {

// Connects the ranks that met at RENDEZVOUS (which outlives the result), each
// with the calling thread's current device.
//
// Operations run on a stream of their own, after what COMPUTE holds when they
// are called; Work::Wait makes COMPUTE wait, not the host, unless the memory is
// the host's: that has its result once Wait has returned, not before. Sums are
// NCCL's: the same on every rank, but their order is not that of the ranks. A
// thread watches: after an error of NCCL, or when an operation has not ended
// LOSS.timeout_s after it could begin, the communicator is aborted, and all
// that follows fails with that status, which names operation, number, bytes and
// time. A kernel that still waits for a peer then never ends: the process
// should.
Result<std::unique_ptr<Communicator>> ConnectNccl(Rendezvous& rendezvous,
                                                  cudaStream_t compute,
                                                  const PeerLossOptions& loss);

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_COMM_NCCL_COMMUNICATOR_H_
