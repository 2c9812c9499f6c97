// Watches over NCCL's operations, which say nothing when a peer is gone.
#ifndef ENGINE_CUDA_COMM_NCCL_WATCH_H_
#define ENGINE_CUDA_COMM_NCCL_WATCH_H_

#include <nccl.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "engine/api/event.h"
#include "engine/comm/presence.h"
#include "engine/comm/rendezvous.h"
#include "engine/comm/use_ledger.h"
#include "engine/cuda/backend.h"
#include "engine/cuda/memory.h"

namespace zs::gpu {

// OK, or "NCCL: WHAT: NAME (its last message)": kUnavailable for what a lost
// peer causes.
Status ToStatus(ncclResult_t result, const std::string& what);

// An operation on the communication stream.
struct NcclOperation {
  std::string name;
  int64_t sequence = 0;
  int64_t bytes = 0;   // that this rank sends
  int64_t period = 0;  // of the watch's ledger
  Event begin;         // reached when the operation could start
  Event end;
  std::atomic<bool> queued{false};  // all of it; `end` is recorded, or never is
};

// Owns the communicator and a thread that polls it. Thread-safe.
class NcclWatch {
 public:
  // COMM becomes the watch's; DEVICE is the GPU of its streams. RENDEZVOUS, of
  // which PRESENCE is, outlives it.
  NcclWatch(ncclComm_t comm, int device, PeerLossOptions loss,
            Rendezvous& rendezvous, std::unique_ptr<Presence> presence);
  // Destroys the communicator; aborts it where an operation is under way.
  ~NcclWatch();

  ncclComm_t comm() const { return comm_; }

  // OK until the first error, silence or loss of a rank; then always that.
  Status status();

  // OPERATION's `begin` is recorded. From now on it is under way, until it is
  // `queued` and its `end` is reached.
  void Add(std::shared_ptr<NcclOperation> operation);

  // See Communicator.
  std::vector<CommUse> TakeUse();
  void EndUse() { use_.EndPeriod(); }

 private:
  void Run();
  void Guard();
  void Poll();
  Status FrontStatus(int64_t now_ns);
  Status LossStatus();
  void Fail(Status status);

  const ncclComm_t comm_;
  const int rank_;
  const int device_;
  const PeerLossOptions loss_;
  Rendezvous& rendezvous_;
  const std::unique_ptr<Presence> presence_;  // the guard's alone
  std::atomic<int> lost_rank_{-1};            // seen by the guard
  std::atomic<bool> waiting_{false};          // an operation is under way
  std::atomic<bool> failed_{false};           // status_ is not OK
  std::atomic<bool> guard_stop_{false};
  int losses_ = 0;  // how often in a row a rank was seen to be gone
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<NcclOperation>> under_way_;
  int64_t front_began_ns_ = 0;  // 0: not seen to have begun
  UseLedger use_;
  Status status_;
  bool aborted_ = false;
  bool stop_ = false;
  std::thread thread_;
  std::thread guard_;
};

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_COMM_NCCL_WATCH_H_
