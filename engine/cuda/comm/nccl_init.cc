#include "engine/cuda/comm/nccl_init.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <thread>
#include <utility>

#include "engine/cuda/check.h"
#include "engine/cuda/comm/nccl_watch.h"

namespace zs::gpu {
namespace {

constexpr const char* kIdKey = "nccl/unique_id";

// Rank 0's identifier, on every rank, which must have rank 0's version: others
// may speak another protocol and hang.
Result<ncclUniqueId> ExchangeId(Rendezvous& rendezvous, Deadline deadline) {
  ncclUniqueId id = {};
  Store& store = rendezvous.store();
  if (rendezvous.env().rank == 0) {
    RETURN_IF_ERROR(ToStatus(ncclGetUniqueId(&id), "make an identifier"));
    RETURN_IF_ERROR(store.Set(
        kIdKey, std::string(id.internal, sizeof id.internal) + NcclVersion(),
        deadline));
    return id;
  }
  ASSIGN_OR_RETURN(const std::string value, store.Get(kIdKey, deadline));
  const std::string version =
      value.substr(std::min(value.size(), sizeof id.internal));
  if (version != NcclVersion()) {
    return FailedPreconditionError(
        "NCCL: rank 0 has version " + (version.empty() ? "?" : version) +
        ", rank " + std::to_string(rendezvous.env().rank) + " has " +
        NcclVersion() +
        "; put the same libnccl.so.2 first on LD_LIBRARY_PATH of every node");
  }
  std::memcpy(id.internal, value.data(), sizeof id.internal);
  return id;
}

// ncclCommInitRank in a thread of its own, since it waits for all ranks.
Result<ncclComm_t> Init(const ncclUniqueId& id, const RankEnvironment& env,
                        double timeout_s) {
  int device = 0;
  ZS_RETURN_IF_CUDA_ERROR(cudaGetDevice(&device));
  std::promise<Result<ncclComm_t>> promise;
  std::future<Result<ncclComm_t>> done = promise.get_future();
  std::thread([promise = std::move(promise), id, env, device]() mutable {
    ncclComm_t comm = nullptr;
    (void)cudaSetDevice(device);
    const Status status =
        ToStatus(ncclCommInitRank(&comm, env.world_size, id, env.rank),
                 "connect the ranks");
    promise.set_value(status.ok() ? Result<ncclComm_t>(comm)
                                  : Result<ncclComm_t>(status));
  }).detach();
  if (done.wait_for(std::chrono::duration<double>(timeout_s)) !=
      std::future_status::ready) {
    return DeadlineExceededError("NCCL: rank " + std::to_string(env.rank) +
                                 " was not connected after " +
                                 std::to_string(timeout_s) +
                                 " s; NCCL_DEBUG=INFO tells how far it came");
  }
  return done.get();
}

}  // namespace

Result<ncclComm_t> InitNccl(Rendezvous& rendezvous, double timeout_s) {
  ASSIGN_OR_RETURN(const ncclUniqueId id,
                   ExchangeId(rendezvous, DeadlineIn(timeout_s)));
  return Init(id, rendezvous.env(), timeout_s);
}

std::string NcclVersion() {
  int version = 0;
  (void)ncclGetVersion(&version);
  return std::to_string(version / 10000) + "." +
         std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace zs::gpu
