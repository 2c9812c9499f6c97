#include "engine/cuda/comm/nccl_watch.h"

#include <cuda_runtime_api.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "engine/cuda/check.h"

namespace zs::gpu {
namespace {

constexpr auto kPollEvery = std::chrono::milliseconds(20);
// For how many polls a rank must be gone with an operation under way: one that
// has ended in good order has done its part of all that others still wait for.
constexpr int kLosses = 50;
constexpr auto kGuardEvery = std::chrono::milliseconds(100);
// After the loss of a rank, by which this one must have ended: aborting NCCL,
// or any call into the driver, may hang for ever when a peer's process is gone.
constexpr auto kEndAfterLoss = std::chrono::seconds(8);

std::string NameOf(int rank, const NcclOperation& operation) {
  return "rank " + std::to_string(rank) + ": " + operation.name + " number " +
         std::to_string(operation.sequence) + " of " +
         std::to_string(operation.bytes) + " bytes";
}

}  // namespace

Status ToStatus(ncclResult_t result, const std::string& what) {
  if (result == ncclSuccess || result == ncclInProgress) {
    return OkStatus();
  }
  const bool peer = result == ncclRemoteError || result == ncclSystemError ||
                    result == ncclInternalError;
  const char* detail = ncclGetLastError(nullptr);
  return {peer ? StatusCode::kUnavailable : StatusCode::kInternal,
          "NCCL: " + what + ": " + ncclGetErrorString(result) + " (" +
              (detail == nullptr ? "" : detail) + ")"};
}

NcclWatch::NcclWatch(ncclComm_t comm, int device, PeerLossOptions loss,
                     Rendezvous& rendezvous, std::unique_ptr<Presence> presence)
    : comm_(comm),
      rank_(rendezvous.env().rank),
      device_(device),
      loss_(std::move(loss)),
      rendezvous_(rendezvous),
      presence_(std::move(presence)),
      thread_([this] { Run(); }),
      guard_([this] { Guard(); }) {}

NcclWatch::~NcclWatch() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  guard_stop_ = true;
  changed_.notify_all();
  thread_.join();
  guard_.join();
  Poll();  // what has ended by now is not under way
  if (aborted_) {
    return;
  }
  (void)(under_way_.empty() ? ncclCommDestroy(comm_) : ncclCommAbort(comm_));
}

Status NcclWatch::status() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return status_;
}

void NcclWatch::Add(std::shared_ptr<NcclOperation> operation) {
  const std::lock_guard<std::mutex> lock(mutex_);
  operation->period = use_.Queued(operation->name, operation->bytes);
  under_way_.push_back(std::move(operation));
  waiting_ = true;
}

std::vector<CommUse> NcclWatch::TakeUse() {
  Poll();  // what has ended by now counts
  return use_.Take();
}

void NcclWatch::Run() {
  (void)cudaSetDevice(device_);
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop_) {
    lock.unlock();
    Poll();
    lock.lock();
    changed_.wait_for(lock, kPollEvery, [this] { return stop_; });
  }
}

// Calls neither NCCL nor CUDA and takes no lock that is held over such a call.
// A rank that has ended in good order is gone too, but nothing waits for it.
void NcclWatch::Guard() {
  auto well_at = std::chrono::steady_clock::now();
  while (!guard_stop_) {
    std::this_thread::sleep_for(kGuardEvery);
    const std::optional<int> lost = presence_->Lost();
    lost_rank_ = lost.value_or(-1);
    const auto now = std::chrono::steady_clock::now();
    if (!failed_ && !(lost && waiting_)) {
      well_at = now;
    } else if (now - well_at > kEndAfterLoss) {
      loss_.on_stuck(UnavailableError(
          "NCCL: " +
          (lost ? "rank " + std::to_string(*lost) + " is gone"
                : std::string("an operation failed or a peer is silent")) +
          ", and this rank could not leave NCCL and the driver since; see the "
          "other ranks' output, and dmesg of their nodes"));
    }
  }
}

void NcclWatch::Poll() {
  const std::lock_guard<std::mutex> lock(mutex_);
  while (!under_way_.empty() && under_way_.front()->queued &&
         cudaEventQuery(under_way_.front()->end.get()) == cudaSuccess) {
    const NcclOperation& done = *under_way_.front();
    const auto ms = done.end.MillisecondsSince(done.begin);
    use_.Ended(done.period, done.name, ms.ok() ? double{*ms} : 0.0);
    under_way_.pop_front();
    front_began_ns_ = 0;
  }
  waiting_ = !under_way_.empty();
  if (!status_.ok()) {
    return;
  }
  ncclResult_t error = ncclSuccess;
  const ncclResult_t asked = ncclCommGetAsyncError(comm_, &error);
  const std::string front = under_way_.empty()
                                ? "rank " + std::to_string(rank_)
                                : NameOf(rank_, *under_way_.front());
  Status status = ToStatus(asked == ncclSuccess ? error : asked, front);
  if (status.ok()) {
    status = FrontStatus(RealClock().monotonic_ns());
  }
  if (status.ok()) {
    status = LossStatus();
  }
  if (!status.ok()) {
    Fail(std::move(status));
  }
}

// Whether the oldest operation has taken too long since it could start.
Status NcclWatch::FrontStatus(int64_t now_ns) {
  if (under_way_.empty()) {
    return OkStatus();
  }
  const NcclOperation& front = *under_way_.front();
  if (front_began_ns_ == 0 &&
      cudaEventQuery(front.begin.get()) == cudaSuccess) {
    front_began_ns_ = now_ns;
  }
  const double seconds =
      front_began_ns_ == 0
          ? 0
          : static_cast<double>(now_ns - front_began_ns_) * 1e-9;
  if (seconds <= loss_.timeout_s) {
    return OkStatus();
  }
  return DeadlineExceededError(
      "NCCL: " + NameOf(rank_, front) + " has not ended after " +
      std::to_string(static_cast<int64_t>(seconds * 1e3)) +
      " ms; a peer is gone or slower than collective_timeout_s");
}

// Whether a rank is gone for which an operation waits in vain.
Status NcclWatch::LossStatus() {
  const int lost = lost_rank_;
  losses_ = lost >= 0 && !under_way_.empty() ? losses_ + 1 : 0;
  if (losses_ < kLosses) {
    return OkStatus();
  }
  const std::optional<std::string> word = rendezvous_.WordOf(lost);
  return UnavailableError(
      "NCCL: rank " + std::to_string(lost) + " is gone; " +
      NameOf(rank_, *under_way_.front()) + " waits for it in vain. " +
      (word ? "Its last word: " + *word
            : "It left no word: see its own output, and dmesg of its node"));
}

// Aborting frees the kernels that wait on the GPU. It can hang where a peer is
// gone, so it has a thread of its own and holds up nobody who asks for
// status().
void NcclWatch::Fail(Status status) {
  status_ = std::move(status);
  aborted_ = true;
  failed_ = true;
  std::thread([comm = comm_, device = device_] {
    (void)cudaSetDevice(device);
    (void)ncclCommAbort(comm);
  }).detach();
}

}  // namespace zs::gpu
