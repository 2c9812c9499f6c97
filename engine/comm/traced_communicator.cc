#include "engine/comm/traced_communicator.h"

#include <memory>
#include <utility>

#include "base/clock.h"

namespace zs {
namespace {

void Store(CollectiveTrace::Operation& operation, const char* op, int64_t seq,
           int64_t bytes) {
  operation.op = op;
  operation.bytes = bytes;
  operation.since_ns = RealClock().monotonic_ns();
  operation.seq = seq;
}

// An operation whose waits are seen.
class TracedOutcome final : public Outcome {
 public:
  TracedOutcome(Work work, const char* op, int64_t bytes,
                CollectiveTrace& trace)
      : work_(std::move(work)),
        op_(op),
        bytes_(bytes),
        seq_(trace.issued.seq),
        trace_(trace) {}

  Status Wait() override {
    Store(trace_.awaited, op_, seq_, bytes_);
    Status status = work_.Wait();
    trace_.awaited.seq = 0;
    return status;
  }

 private:
  Work work_;
  const char* op_;
  int64_t bytes_;
  int64_t seq_;
  CollectiveTrace& trace_;
};

int64_t BytesOf(const Elements& elements) {
  return elements.count * elements.element_bytes();
}

}  // namespace

template <typename Call>
Work TracedCommunicator::Issue(const char* op, int64_t bytes,
                               const Call& call) {
  Store(trace_.issued, op, trace_.issued.seq + 1, bytes);
  Work work = call();
  if (!work.pending()) {
    return work;
  }
  return Work(
      std::make_shared<TracedOutcome>(std::move(work), op, bytes, trace_));
}

Work TracedCommunicator::ReduceScatter(Elements in, Elements out,
                                       Combine combine) {
  return Issue("reduce_scatter", BytesOf(in),
               [&] { return inner_.ReduceScatter(in, out, combine); });
}

Work TracedCommunicator::AllReduce(Elements in, Elements out, Combine combine) {
  return Issue("all_reduce", BytesOf(in),
               [&] { return inner_.AllReduce(in, out, combine); });
}

Work TracedCommunicator::AllGather(Elements data) {
  return Issue("all_gather", BytesOf(data),
               [&] { return inner_.AllGather(data); });
}

Work TracedCommunicator::Broadcast(Elements data, int root) {
  return Issue("broadcast", BytesOf(data),
               [&] { return inner_.Broadcast(data, root); });
}

Work TracedCommunicator::AllGather(Elements own, Elements data) {
  return Issue("all_gather", BytesOf(data),
               [&] { return inner_.AllGather(own, data); });
}

Work TracedCommunicator::Broadcast(Elements in, Elements out, int root) {
  return Issue("broadcast", BytesOf(out),
               [&] { return inner_.Broadcast(in, out, root); });
}

Work TracedCommunicator::SendReceive(Elements out, Elements in) {
  return Issue("send_receive", BytesOf(out),
               [&] { return inner_.SendReceive(out, in); });
}

Work TracedCommunicator::Barrier() {
  return Issue("barrier", 0, [&] { return inner_.Barrier(); });
}

}  // namespace zs
