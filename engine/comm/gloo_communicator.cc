#include "engine/comm/gloo_communicator.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/comm/gloo_link.h"
#include "engine/comm/rank_sum.h"
#include "engine/comm/use_ledger.h"
#include "engine/comm/work_queue.h"
#include "gloo/config.h"

namespace zs {
namespace {

// A slice travels in chunks: while one is summed, others are on their way.
constexpr int64_t kChunkBytes = int64_t{256} << 10;
constexpr int64_t kChunksInFlight = 3;

int64_t Chunks(int64_t bytes) {
  return (bytes + kChunkBytes - 1) / kChunkBytes;
}

// The bytes of chunk C of a slice of BYTES; 0 past its end.
int64_t ChunkSize(int64_t bytes, int64_t c) {
  return std::clamp<int64_t>(bytes - c * kChunkBytes, 0, kChunkBytes);
}

class GlooCommunicator final : public Communicator {
 public:
  GlooCommunicator(const RankEnvironment& env, std::unique_ptr<GlooLink> link)
      : rank_(env.rank),
        size_(env.world_size),
        link_(std::move(link)),
        staging_(kChunksInFlight * (size_ - 1) * kChunkBytes) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int64_t staging_bytes() const override {
    return static_cast<int64_t>(staging_.size());
  }

  Work ReduceScatter(Elements in, Elements out, Combine combine) override {
    return Queue("reduce_scatter", ScatterBytes(in), [=, this](uint64_t slot) {
      RunReduceScatter(in, out.data, combine, slot);
    });
  }

  Work AllReduce(Elements in, Elements out, Combine combine) override {
    const int64_t bytes = ScatterBytes(in) + GatherBytes(out);
    return Queue("all_reduce", bytes, [=, this](uint64_t slot) {
      void* mine = At(out, SliceOf(out.count, rank_, size_).begin);
      RunReduceScatter(in, mine, combine, slot);
      RunAllGather(out, slot + 1);
    });
  }

  Work AllGather(Elements data) override {
    const bool scalars = data.type == ElementType::kDouble;
    return Queue(scalars ? "all_gather_scalars" : "all_gather",
                 GatherBytes(data),
                 [=, this](uint64_t slot) { RunAllGather(data, slot); });
  }

  Work AllGather(Elements own, Elements data) override {
    return Queue("all_gather", GatherBytes(data), [=, this](uint64_t slot) {
      Copy(own, At(data, SliceOf(data.count, rank_, size_).begin));
      RunAllGather(data, slot);
    });
  }

  Work Broadcast(Elements in, Elements out, int root) override {
    const int64_t bytes = in.count * in.element_bytes();
    return Queue("broadcast", rank_ == root ? bytes * (size_ - 1) : 0,
                 [=, this](uint64_t slot) {
                   if (rank_ == root) {
                     Copy(in, out.data);
                   }
                   RunBroadcast(out, root, slot);
                 });
  }

  Work SendReceive(Elements out, Elements in) override {
    return Queue("send_receive", out.count * out.element_bytes(),
                 [=, this](uint64_t slot) { RunSendReceive(out, in, slot); });
  }

  Work Broadcast(Elements data, int root) override {
    const int64_t bytes = data.count * data.element_bytes();
    return Queue("broadcast", rank_ == root ? bytes * (size_ - 1) : 0,
                 [=, this](uint64_t slot) { RunBroadcast(data, root, slot); });
  }

  Work Barrier() override {
    return Queue("barrier", size_ - 1, [this](uint64_t slot) {
      std::vector<double> token(size_);
      RunAllGather(std::span<double>(token), slot);
    });
  }

  std::vector<CommUse> TakeUse() override { return use_.Take(); }
  void EndUse() override { use_.EndPeriod(); }

 private:
  static void* At(const Elements& elements, int64_t index) {
    return static_cast<char*>(elements.data) + index * elements.element_bytes();
  }
  static void Copy(const Elements& from, void* to) {
    std::memcpy(to, from.data,
                static_cast<size_t>(from.count * from.element_bytes()));
  }
  int64_t SliceBytes(const Elements& e, int rank) const {
    return SliceOf(e.count, rank, size_).size() * e.element_bytes();
  }
  int64_t ScatterBytes(const Elements& e) const {
    return e.count * e.element_bytes() - SliceBytes(e, rank_);
  }
  int64_t GatherBytes(const Elements& e) const {
    return SliceBytes(e, rank_) * (size_ - 1);
  }

  Work Queue(const char* what, int64_t bytes,
             std::function<void(uint64_t slot)> operation);
  std::vector<GlooBuffer> MapSlices(const Elements& e);
  std::vector<GlooBuffer> MapStaging();
  void RunReduceScatter(const Elements& in, void* out, Combine combine,
                        uint64_t slot);
  void SumChunk(const Elements& in, void* out, Combine combine, int64_t chunk);
  void RunAllGather(const Elements& data, uint64_t slot);
  void RunBroadcast(const Elements& data, int root, uint64_t slot);
  void RunSendReceive(const Elements& out, const Elements& in, uint64_t slot);

  const int rank_;
  const int size_;
  std::unique_ptr<GlooLink> link_;
  std::vector<char> staging_;  // [chunk in flight][peer][kChunkBytes]
  uint64_t next_slot_ = 0;
  UseLedger use_;
  WorkQueue queue_;  // last: its thread uses all of the above
};

Work GlooCommunicator::Queue(const char* what, int64_t bytes,
                             std::function<void(uint64_t slot)> operation) {
  const int64_t period = use_.Queued(what, bytes);
  const uint64_t slot = next_slot_;
  next_slot_ += 2;  // an all-reduce takes two
  return queue_.Add([this, what, period, slot,
                     operation = std::move(operation)] {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    Status status = link_->Run(what, [&] { operation(slot); });
    const std::chrono::duration<double, std::milli> ms = Clock::now() - start;
    use_.Ended(period, what, ms.count());
    return status;
  });
}

// One buffer for each rank's slice of E, towards that rank.
std::vector<GlooBuffer> GlooCommunicator::MapSlices(const Elements& e) {
  std::vector<GlooBuffer> buffers;
  buffers.reserve(size_);
  for (int r = 0; r < size_; ++r) {
    buffers.push_back(link_->Map(r, At(e, SliceOf(e.count, r, size_).begin),
                                 SliceBytes(e, r)));
  }
  return buffers;
}

// [chunk in flight][rank]; this rank's own entries are not used.
std::vector<GlooBuffer> GlooCommunicator::MapStaging() {
  std::vector<GlooBuffer> buffers;
  buffers.reserve(kChunksInFlight * size_);
  for (int64_t flight = 0; flight < kChunksInFlight; ++flight) {
    for (int r = 0; r < size_; ++r) {
      const int peer = r < rank_ ? r : r - 1;
      char* at = staging_.data() + (flight * (size_ - 1) + peer) * kChunkBytes;
      buffers.push_back(link_->Map(r, r == rank_ ? nullptr : at,
                                   r == rank_ ? 0 : kChunkBytes));
    }
  }
  return buffers;
}

void GlooCommunicator::RunReduceScatter(const Elements& in, void* out,
                                        Combine combine, uint64_t slot) {
  std::vector<GlooBuffer> slices = MapSlices(in);
  std::vector<GlooBuffer> staging = MapStaging();
  const int64_t mine = SliceBytes(in, rank_);
  const int64_t chunks = Chunks(SliceBytes(in, 0));  // slice 0 is the longest
  for (int64_t c = 0; c < chunks + kChunksInFlight - 1; ++c) {
    for (int r = 0; r < size_ && c < chunks; ++r) {
      if (r == rank_) {
        continue;
      }
      if (const int64_t n = ChunkSize(mine, c); n > 0) {
        link_->Receive(staging[c % kChunksInFlight * size_ + r], slot, n);
      }
      if (const int64_t n = ChunkSize(SliceBytes(in, r), c); n > 0) {
        link_->Send(slices[r], slot, c * kChunkBytes, n);
      }
    }
    const int64_t done = c - (kChunksInFlight - 1);
    for (int r = 0; r < size_ && done >= 0; ++r) {
      if (r != rank_ && ChunkSize(mine, done) > 0) {
        link_->WaitReceive(staging[done % kChunksInFlight * size_ + r]);
      }
    }
    if (done >= 0 && ChunkSize(mine, done) > 0) {
      SumChunk(in, out, combine, done);
    }
    for (int r = 0; r < size_ && done >= 0; ++r) {
      if (r != rank_ && ChunkSize(SliceBytes(in, r), done) > 0) {
        link_->WaitSend(slices[r]);
      }
    }
  }
}

// Adds up chunk CHUNK of this rank's slice: its own part lies in IN, the
// others' in the staging memory.
void GlooCommunicator::SumChunk(const Elements& in, void* out, Combine combine,
                                int64_t chunk) {
  std::vector<const void*> parts(size_);
  const int64_t flight = chunk % kChunksInFlight;
  for (int r = 0; r < size_; ++r) {
    const int peer = r < rank_ ? r : r - 1;
    parts[r] = staging_.data() + (flight * (size_ - 1) + peer) * kChunkBytes;
  }
  const int64_t first = chunk * (kChunkBytes / in.element_bytes());
  parts[rank_] = At(in, SliceOf(in.count, rank_, size_).begin + first);
  const int64_t bytes = ChunkSize(SliceBytes(in, rank_), chunk);
  char* to = static_cast<char*>(out) + chunk * kChunkBytes;
  const bool add = combine == Combine::kAdd;
  if (in.type == ElementType::kFloat) {
    SumInRankOrder<float>(parts, bytes / 4, add, reinterpret_cast<float*>(to));
  } else {
    SumInRankOrder<double>(parts, bytes / 8, add,
                           reinterpret_cast<double*>(to));
  }
}

void GlooCommunicator::RunAllGather(const Elements& data, uint64_t slot) {
  std::vector<GlooBuffer> slices = MapSlices(data);
  std::vector<GlooBuffer> sends;
  sends.reserve(size_);
  const int64_t mine = SliceBytes(data, rank_);
  void* from = At(data, SliceOf(data.count, rank_, size_).begin);
  for (int r = 0; r < size_; ++r) {
    sends.push_back(link_->Map(r, from, mine));
    if (r != rank_ && SliceBytes(data, r) > 0) {
      link_->Receive(slices[r], slot, SliceBytes(data, r));
    }
  }
  for (int r = 0; r < size_ && mine > 0; ++r) {
    if (r != rank_) {
      link_->Send(sends[r], slot, 0, mine);
    }
  }
  for (int r = 0; r < size_; ++r) {
    if (r != rank_ && SliceBytes(data, r) > 0) {
      link_->WaitReceive(slices[r]);
    }
  }
  for (int r = 0; r < size_ && mine > 0; ++r) {
    if (r != rank_) {
      link_->WaitSend(sends[r]);
    }
  }
}

void GlooCommunicator::RunSendReceive(const Elements& out, const Elements& in,
                                      uint64_t slot) {
  const int64_t bytes = out.count * out.element_bytes();
  if (bytes == 0) {
    return;
  }
  const int before = (rank_ + size_ - 1) % size_;
  GlooBuffer from = link_->Map(before, in.data, bytes);
  GlooBuffer to = link_->Map((rank_ + 1) % size_, out.data, bytes);
  link_->Receive(from, slot, bytes);
  link_->Send(to, slot, 0, bytes);
  link_->WaitReceive(from);
  link_->WaitSend(to);
}

void GlooCommunicator::RunBroadcast(const Elements& data, int root,
                                    uint64_t slot) {
  const int64_t bytes = data.count * data.element_bytes();
  if (bytes == 0) {
    return;
  }
  if (rank_ != root) {
    GlooBuffer buffer = link_->Map(root, data.data, bytes);
    link_->Receive(buffer, slot, bytes);
    link_->WaitReceive(buffer);
    return;
  }
  std::vector<GlooBuffer> buffers;
  buffers.reserve(size_);
  for (int r = 0; r < size_; ++r) {
    buffers.push_back(link_->Map(r, data.data, bytes));
    if (r != root) {
      link_->Send(buffers[r], slot, 0, bytes);
    }
  }
  for (int r = 0; r < size_; ++r) {
    if (r != root) {
      link_->WaitSend(buffers[r]);
    }
  }
}

}  // namespace

Result<std::unique_ptr<Communicator>> ConnectGloo(Rendezvous& rendezvous,
                                                  double timeout_s) {
  ASSIGN_OR_RETURN(std::unique_ptr<GlooLink> link,
                   GlooLink::Connect(rendezvous, timeout_s));
  return std::unique_ptr<Communicator>(
      std::make_unique<GlooCommunicator>(rendezvous.env(), std::move(link)));
}

std::string GlooVersion() {
  return std::to_string(GLOO_VERSION_MAJOR) + "." +
         std::to_string(GLOO_VERSION_MINOR) + "." +
         std::to_string(GLOO_VERSION_PATCH);
}

}  // namespace zs
