#include "engine/cuda/comm/nccl_communicator.h"

#include <nccl.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/comm/presence.h"
#include "engine/cuda/check.h"
#include "engine/cuda/comm/nccl_init.h"
#include "engine/cuda/comm/nccl_watch.h"
#include "engine/cuda/kernels/elementwise.h"
#include "engine/cuda/memory.h"

namespace zs::gpu {
namespace {

ncclDataType_t TypeOf(const Elements& x) {
  return x.type == ElementType::kFloat ? ncclFloat : ncclDouble;
}

char* At(const Elements& x, int64_t index) {
  return static_cast<char*>(x.data) + index * x.element_bytes();
}

bool OnHost(const void* data) {
  cudaPointerAttributes attributes = {};
  return cudaPointerGetAttributes(&attributes, data) != cudaSuccess ||
         attributes.type == cudaMemoryTypeUnregistered ||
         attributes.type == cudaMemoryTypeHost;
}

// Host memory that an operation works on a copy of.
struct HostCopy {
  Elements host;
  std::shared_ptr<DeviceBuffer> device;
};

// What Work::Wait does: the compute stream waits, or the host where it is the
// host that reads. Host memory gets its result there and not on the stream: a
// copy to pageable memory returns when it has been made, so that queuing it
// would hold up the caller until the peers have come.
class NcclOutcome final : public Outcome {
 public:
  NcclOutcome(NcclWatch& watch, std::shared_ptr<NcclOperation> operation,
              cudaStream_t compute)
      : watch_(watch), operation_(std::move(operation)), compute_(compute) {}

  // Wait is the host's, and then fills COPY's host memory where there is one.
  void WaitOnHost(HostCopy copy) {
    on_host_ = true;
    copy_ = std::move(copy);
  }

  Status Wait() override {
    RETURN_IF_ERROR(watch_.status());
    if (!on_host_) {
      return operation_->end.Block(compute_);
    }
    RETURN_IF_ERROR(operation_->end.Wait());
    RETURN_IF_ERROR(watch_.status());
    return CopyBack();
  }

 private:
  // Once: after that the memory is the caller's again.
  Status CopyBack() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (copy_.device != nullptr) {
      const Elements& host = copy_.host;
      copied_ = zs::gpu::ToStatus(
          cudaMemcpy(host.data, copy_.device->data(),
                     static_cast<size_t>(host.count * host.element_bytes()),
                     cudaMemcpyDeviceToHost),
          "copy back");
      copy_.device.reset();
    }
    return copied_;
  }

  NcclWatch& watch_;
  const std::shared_ptr<NcclOperation> operation_;
  const cudaStream_t compute_;
  bool on_host_ = false;
  std::mutex mutex_;
  HostCopy copy_;
  Status copied_;
};

class NcclCommunicator final : public Communicator {
 public:
  static Result<std::unique_ptr<Communicator>> Create(
      ncclComm_t comm, Rendezvous& rendezvous, cudaStream_t compute,
      const PeerLossOptions& loss);
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int64_t staging_bytes() const override {
    return static_cast<int64_t>(staging_.bytes() +
                                (host_staging_ ? host_staging_->bytes() : 0));
  }
  Status status() override { return watch_->status(); }
  std::vector<CommUse> TakeUse() override { return watch_->TakeUse(); }
  void EndUse() override { watch_->EndUse(); }

  Work ReduceScatter(Elements in, Elements out, Combine combine) override;
  Work AllReduce(Elements in, Elements out, Combine combine) override;
  Work AllGather(Elements data) override;
  Work AllGather(Elements own, Elements data) override;
  Work Broadcast(Elements data, int root) override;
  Work Broadcast(Elements in, Elements out, int root) override;
  Work SendReceive(Elements out, Elements in) override;
  Work Barrier() override;

 private:
  // Queues BODY on the communication stream, after what the compute stream
  // holds now. The watch knows of the operation before BODY can block.
  Result<std::shared_ptr<NcclOutcome>> Queue(
      const char* name, int64_t bytes, const std::function<Status()>& body);
  // The same, for memory of the GPU alone: Work::Wait is the compute stream's.
  Work QueueOnGpu(const char* name, int64_t bytes,
                  const std::function<Status()>& body);
  // Queues BODY with DATA, or with a copy in GPU memory where DATA is the
  // host's.
  Work QueueOn(const char* name, int64_t bytes, const Elements& data,
               const std::function<Status(const Elements&)>& body);
  // BYTES of GPU memory that belong to no operation under way.
  Result<std::shared_ptr<DeviceBuffer>> HostStaging(size_t bytes);
  Status Scatter(const Elements& in, void* out);
  Status Gather(const Elements& data);
  Status AddStaging(const Elements& out);
  // Bytes a rank sends when each of SIZE gets or gives all of X but its slice.
  int64_t RingBytes(const Elements& x) const {
    return x.count * x.element_bytes() * (size_ - 1) / size_;
  }
  bool Even(const Elements& x) const { return x.count % size_ == 0; }
  ncclComm_t comm() const { return watch_->comm(); }

  int rank_ = 0;
  int size_ = 1;
  cudaStream_t compute_ = nullptr;
  Stream stream_;
  DeviceBuffer staging_;
  std::shared_ptr<DeviceBuffer> host_staging_;  // of the last host memory
  DeviceBuffer token_;                          // what barriers sum
  int64_t sequence_ = 0;
  std::unique_ptr<NcclWatch> watch_;  // ends before what it watches
};

Result<std::unique_ptr<Communicator>> NcclCommunicator::Create(
    ncclComm_t comm, Rendezvous& rendezvous, cudaStream_t compute,
    const PeerLossOptions& loss) {
  const RankEnvironment& env = rendezvous.env();
  ASSIGN_OR_RETURN(std::unique_ptr<Presence> presence,
                   Presence::Join(rendezvous, DeadlineIn(loss.timeout_s)));
  auto result = std::make_unique<NcclCommunicator>();
  int device = 0;
  ZS_RETURN_IF_CUDA_ERROR(cudaGetDevice(&device));
  result->rank_ = env.rank;
  result->size_ = env.world_size;
  result->compute_ = compute;
  result->watch_ = std::make_unique<NcclWatch>(comm, device, loss, rendezvous,
                                               std::move(presence));
  ASSIGN_OR_RETURN(result->stream_, Stream::Create());
  ASSIGN_OR_RETURN(result->token_,
                   DeviceBuffer::Create(sizeof(float), "a barrier"));
  ZS_RETURN_IF_CUDA_ERROR(cudaMemsetAsync(
      result->token_.data(), 0, sizeof(float), result->stream_.get()));
  return std::unique_ptr<Communicator>(std::move(result));
}

Result<std::shared_ptr<NcclOutcome>> NcclCommunicator::Queue(
    const char* name, int64_t bytes, const std::function<Status()>& body) {
  RETURN_IF_ERROR(watch_->status());
  auto operation = std::make_shared<NcclOperation>();
  operation->name = name;
  operation->sequence = ++sequence_;
  operation->bytes = bytes;
  ASSIGN_OR_RETURN(const Event ready, Event::Create());
  ASSIGN_OR_RETURN(operation->begin, Event::Create());
  ASSIGN_OR_RETURN(operation->end, Event::Create());
  RETURN_IF_ERROR(ready.Record(compute_));
  RETURN_IF_ERROR(ready.Block(stream_.get()));
  RETURN_IF_ERROR(operation->begin.Record(stream_.get()));
  watch_->Add(operation);
  Status status = body().WithContext(name);
  if (status.ok()) {
    status = operation->end.Record(stream_.get());
  }
  operation->queued = true;
  RETURN_IF_ERROR(status);
  return std::make_shared<NcclOutcome>(*watch_, std::move(operation), compute_);
}

Work NcclCommunicator::QueueOnGpu(const char* name, int64_t bytes,
                                  const std::function<Status()>& body) {
  const auto outcome = Queue(name, bytes, body);
  return outcome.ok() ? Work(*outcome) : Work(outcome.status());
}

Result<std::shared_ptr<DeviceBuffer>> NcclCommunicator::HostStaging(
    size_t bytes) {
  if (host_staging_ == nullptr || host_staging_.use_count() > 1) {
    host_staging_ = std::make_shared<DeviceBuffer>();
  }
  RETURN_IF_ERROR(host_staging_->Grow(bytes, "a copy of host memory"));
  return host_staging_;
}

Work NcclCommunicator::QueueOn(
    const char* name, int64_t bytes, const Elements& data,
    const std::function<Status(const Elements&)>& body) {
  if (!OnHost(data.data)) {
    return QueueOnGpu(name, bytes, [&] { return body(data); });
  }
  HostCopy copy = {data, nullptr};
  const auto outcome = Queue(name, bytes, [&]() -> Status {
    const auto size = static_cast<size_t>(data.count * data.element_bytes());
    ASSIGN_OR_RETURN(copy.device, HostStaging(size));
    Elements on_gpu = data;
    on_gpu.data = copy.device->data();
    ZS_RETURN_IF_CUDA_ERROR(cudaMemcpyAsync(
        on_gpu.data, data.data, size, cudaMemcpyHostToDevice, stream_.get()));
    return body(on_gpu);
  });
  if (!outcome.ok()) {
    return Work(outcome.status());
  }
  (*outcome)->WaitOnHost(std::move(copy));
  return Work(*outcome);
}

// Puts this rank's slice of the sum to OUT.
Status NcclCommunicator::Scatter(const Elements& in, void* out) {
  if (Even(in)) {
    return ToStatus(
        ncclReduceScatter(in.data, out, in.count / size_, TypeOf(in), ncclSum,
                          comm(), stream_.get()),
        "reduce-scatter");
  }
  RETURN_IF_ERROR(ToStatus(ncclGroupStart(), "begin a group"));
  Status status;
  for (int root = 0; root < size_ && status.ok(); ++root) {
    const Slice slice = SliceOf(in.count, root, size_);
    status =
        ToStatus(ncclReduce(At(in, slice.begin), out, slice.size(), TypeOf(in),
                            ncclSum, root, comm(), stream_.get()),
                 "reduce");
  }
  RETURN_IF_ERROR(ToStatus(ncclGroupEnd(), "end a group"));
  return status;
}

Status NcclCommunicator::Gather(const Elements& data) {
  const Slice own = SliceOf(data.count, rank_, size_);
  if (Even(data)) {
    return ToStatus(
        ncclAllGather(At(data, own.begin), data.data, data.count / size_,
                      TypeOf(data), comm(), stream_.get()),
        "all-gather");
  }
  RETURN_IF_ERROR(ToStatus(ncclGroupStart(), "begin a group"));
  Status status;
  for (int root = 0; root < size_ && status.ok(); ++root) {
    const Slice slice = SliceOf(data.count, root, size_);
    char* const at = At(data, slice.begin);
    status = ToStatus(ncclBroadcast(at, at, slice.size(), TypeOf(data), root,
                                    comm(), stream_.get()),
                      "broadcast");
  }
  RETURN_IF_ERROR(ToStatus(ncclGroupEnd(), "end a group"));
  return status;
}

Status NcclCommunicator::AddStaging(const Elements& out) {
  if (out.type != ElementType::kFloat) {
    return UnimplementedError("NCCL: only fp32 sums are added to memory");
  }
  return LaunchAdd({staging_.data(), DType::kF32}, 1.0f,
                   {out.data, DType::kF32}, out.count, stream_.get());
}

Work NcclCommunicator::ReduceScatter(Elements in, Elements out,
                                     Combine combine) {
  return QueueOnGpu("reduce_scatter", RingBytes(in), [&]() -> Status {
    if (combine == Combine::kAssign) {
      return Scatter(in, out.data);
    }
    RETURN_IF_ERROR(
        staging_.Grow(out.count * out.element_bytes(), "a slice of gradients"));
    RETURN_IF_ERROR(Scatter(in, staging_.data()));
    return AddStaging(out);
  });
}

Work NcclCommunicator::AllReduce(Elements in, Elements out, Combine combine) {
  return QueueOnGpu("all_reduce", 2 * RingBytes(in), [&]() -> Status {
    void* target = out.data;
    if (combine == Combine::kAdd) {
      RETURN_IF_ERROR(staging_.Grow(out.count * out.element_bytes(),
                                    "a unit of gradients"));
      target = staging_.data();
    }
    RETURN_IF_ERROR(
        ToStatus(ncclAllReduce(in.data, target, in.count, TypeOf(in), ncclSum,
                               comm(), stream_.get()),
                 "all-reduce"));
    return combine == Combine::kAdd ? AddStaging(out) : OkStatus();
  });
}

Work NcclCommunicator::AllGather(Elements data) {
  const bool scalars = data.type == ElementType::kDouble;
  return QueueOn(scalars ? "all_gather_scalars" : "all_gather", RingBytes(data),
                 data, [this](const Elements& x) { return Gather(x); });
}

Work NcclCommunicator::AllGather(Elements own, Elements data) {
  return QueueOnGpu("all_gather", RingBytes(data), [&]() -> Status {
    if (!Even(data)) {
      return UnimplementedError(
          "NCCL: " + std::to_string(data.count) +
          " elements are no multiple of the number of ranks");
    }
    return ToStatus(ncclAllGather(own.data, data.data, own.count, TypeOf(own),
                                  comm(), stream_.get()),
                    "all-gather");
  });
}

Work NcclCommunicator::Broadcast(Elements in, Elements out, int root) {
  const int64_t bytes = rank_ == root ? in.count * in.element_bytes() : 0;
  return QueueOnGpu("broadcast", bytes, [&] {
    return ToStatus(ncclBroadcast(in.data, out.data, in.count, TypeOf(in), root,
                                  comm(), stream_.get()),
                    "broadcast");
  });
}

Work NcclCommunicator::SendReceive(Elements out, Elements in) {
  const int64_t bytes = out.count * out.element_bytes();
  return QueueOnGpu("send_receive", bytes, [&]() -> Status {
    RETURN_IF_ERROR(ToStatus(ncclGroupStart(), "begin a group"));
    Status status =
        ToStatus(ncclSend(out.data, out.count, TypeOf(out), (rank_ + 1) % size_,
                          comm(), stream_.get()),
                 "send");
    if (status.ok()) {
      status =
          ToStatus(ncclRecv(in.data, in.count, TypeOf(in),
                            (rank_ + size_ - 1) % size_, comm(), stream_.get()),
                   "receive");
    }
    RETURN_IF_ERROR(ToStatus(ncclGroupEnd(), "end a group"));
    return status;
  });
}

Work NcclCommunicator::Broadcast(Elements data, int root) {
  const int64_t bytes = rank_ == root ? data.count * data.element_bytes() : 0;
  return QueueOn("broadcast", bytes, data, [this, root](const Elements& x) {
    return ToStatus(ncclBroadcast(x.data, x.data, x.count, TypeOf(x), root,
                                  comm(), stream_.get()),
                    "broadcast");
  });
}

Work NcclCommunicator::Barrier() {
  const auto outcome = Queue("barrier", 0, [this] {
    return ToStatus(ncclAllReduce(token_.data(), token_.data(), 1, ncclFloat,
                                  ncclSum, comm(), stream_.get()),
                    "barrier");
  });
  if (!outcome.ok()) {
    return Work(outcome.status());
  }
  (*outcome)->WaitOnHost({});
  return Work(*outcome);
}

}  // namespace

Result<std::unique_ptr<Communicator>> ConnectNccl(Rendezvous& rendezvous,
                                                  cudaStream_t compute,
                                                  const PeerLossOptions& loss) {
  ASSIGN_OR_RETURN(const ncclComm_t comm, InitNccl(rendezvous, loss.timeout_s));
  return NcclCommunicator::Create(comm, rendezvous, compute, loss);
}

}  // namespace zs::gpu
