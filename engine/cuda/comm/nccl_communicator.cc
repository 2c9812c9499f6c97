#include "engine/cuda/comm/nccl_communicator.h"

#include <nccl.h>

#include <algorithm>
#include <functional>
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

// What Work::Wait does: the compute stream waits, and the host where it is the
// host that reads.
class NcclOutcome final : public Outcome {
 public:
  NcclOutcome(NcclWatch& watch, std::shared_ptr<NcclOperation> operation,
              cudaStream_t compute, bool host)
      : watch_(watch),
        operation_(std::move(operation)),
        compute_(compute),
        host_(host) {}

  Status Wait() override {
    RETURN_IF_ERROR(watch_.status());
    if (host_) {
      RETURN_IF_ERROR(operation_->end.Wait());
      return watch_.status();
    }
    return operation_->end.Block(compute_);
  }

 private:
  NcclWatch& watch_;
  const std::shared_ptr<NcclOperation> operation_;
  const cudaStream_t compute_;
  const bool host_;
};

class NcclCommunicator final : public Communicator {
 public:
  static Result<std::unique_ptr<Communicator>> Create(
      ncclComm_t comm, Rendezvous& rendezvous, cudaStream_t compute,
      const PeerLossOptions& loss);
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int64_t staging_bytes() const override {
    return static_cast<int64_t>(staging_.bytes());
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
  // holds now.
  Work Queue(const char* name, int64_t bytes, bool host,
             const std::function<Status()>& body);
  // Runs BODY on a copy of DATA in GPU memory and copies it back.
  Status OnCopy(const Elements& data,
                const std::function<Status(const Elements&)>& body);
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
  DeviceBuffer token_;  // what barriers sum
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

Work NcclCommunicator::Queue(const char* name, int64_t bytes, bool host,
                             const std::function<Status()>& body) {
  const auto queue = [&]() -> Result<std::shared_ptr<NcclOperation>> {
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
    RETURN_IF_ERROR(body().WithContext(name));
    RETURN_IF_ERROR(operation->end.Record(stream_.get()));
    return operation;
  };
  Result<std::shared_ptr<NcclOperation>> queued = queue();
  if (!queued.ok()) {
    return Work(queued.status());
  }
  watch_->Add(*queued);
  return Work(std::make_shared<NcclOutcome>(*watch_, *queued, compute_, host));
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

Status NcclCommunicator::OnCopy(
    const Elements& data, const std::function<Status(const Elements&)>& body) {
  const auto bytes = static_cast<size_t>(data.count * data.element_bytes());
  RETURN_IF_ERROR(staging_.Grow(bytes, "a copy of host memory"));
  Elements copy = data;
  copy.data = staging_.data();
  ZS_RETURN_IF_CUDA_ERROR(cudaMemcpyAsync(
      copy.data, data.data, bytes, cudaMemcpyHostToDevice, stream_.get()));
  RETURN_IF_ERROR(body(copy));
  return zs::gpu::ToStatus(
      cudaMemcpyAsync(data.data, copy.data, bytes, cudaMemcpyDeviceToHost,
                      stream_.get()),
      "copy back");
}

Work NcclCommunicator::ReduceScatter(Elements in, Elements out,
                                     Combine combine) {
  return Queue("reduce_scatter", RingBytes(in), false, [&]() -> Status {
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
  return Queue("all_reduce", 2 * RingBytes(in), false, [&]() -> Status {
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
  const bool host = OnHost(data.data);
  const auto gather = [this](const Elements& x) { return Gather(x); };
  return Queue(scalars ? "all_gather_scalars" : "all_gather", RingBytes(data),
               host,
               [&] { return host ? OnCopy(data, gather) : gather(data); });
}

Work NcclCommunicator::AllGather(Elements own, Elements data) {
  return Queue("all_gather", RingBytes(data), false, [&]() -> Status {
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
  return Queue("broadcast", bytes, false, [&] {
    return ToStatus(ncclBroadcast(in.data, out.data, in.count, TypeOf(in), root,
                                  comm(), stream_.get()),
                    "broadcast");
  });
}

Work NcclCommunicator::SendReceive(Elements out, Elements in) {
  const int64_t bytes = out.count * out.element_bytes();
  return Queue("send_receive", bytes, false, [&]() -> Status {
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
  const bool host = OnHost(data.data);
  const auto broadcast = [this, root](const Elements& x) {
    return ToStatus(ncclBroadcast(x.data, x.data, x.count, TypeOf(x), root,
                                  comm(), stream_.get()),
                    "broadcast");
  };
  const int64_t bytes = rank_ == root ? data.count * data.element_bytes() : 0;
  return Queue("broadcast", bytes, host, [&] {
    return host ? OnCopy(data, broadcast) : broadcast(data);
  });
}

Work NcclCommunicator::Barrier() {
  return Queue("barrier", 0, true, [this] {
    return ToStatus(ncclAllReduce(token_.data(), token_.data(), 1, ncclFloat,
                                  ncclSum, comm(), stream_.get()),
                    "barrier");
  });
}

}  // namespace

Result<std::unique_ptr<Communicator>> ConnectNccl(Rendezvous& rendezvous,
                                                  cudaStream_t compute,
                                                  const PeerLossOptions& loss) {
  ASSIGN_OR_RETURN(const ncclComm_t comm, InitNccl(rendezvous, loss.timeout_s));
  return NcclCommunicator::Create(comm, rendezvous, compute, loss);
}

}  // namespace zs::gpu
