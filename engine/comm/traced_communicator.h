// A communicator that says where it is.
#ifndef ENGINE_COMM_TRACED_COMMUNICATOR_H_
#define ENGINE_COMM_TRACED_COMMUNICATOR_H_

#include <cstdint>
#include <vector>

#include "engine/comm/collective_trace.h"
#include "engine/comm/communicator.h"

namespace zs {

// Passes everything on to another communicator and keeps TRACE. Both outlive it
// and the Works that it gives.
class TracedCommunicator final : public Communicator {
 public:
  TracedCommunicator(Communicator& inner, CollectiveTrace& trace)
      : inner_(inner), trace_(trace) {}

  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  Work ReduceScatter(Elements in, Elements out, Combine combine) override;
  Work AllReduce(Elements in, Elements out, Combine combine) override;
  Work AllGather(Elements data) override;
  Work AllGather(Elements own, Elements data) override;
  Work Broadcast(Elements data, int root) override;
  Work Broadcast(Elements in, Elements out, int root) override;
  Work SendReceive(Elements out, Elements in) override;
  Work Barrier() override;
  Status status() override { return inner_.status(); }
  std::vector<CommUse> TakeUse() override { return inner_.TakeUse(); }
  void EndUse() override { inner_.EndUse(); }
  int64_t staging_bytes() const override { return inner_.staging_bytes(); }

 private:
  // The Work that CALL gives, of operation OP, whose waits are seen. CALL may
  // block: the trace tells of the operation before.
  template <typename Call>
  Work Issue(const char* op, int64_t bytes, const Call& call);

  Communicator& inner_;
  CollectiveTrace& trace_;
};

}  // namespace zs

#endif  // ENGINE_COMM_TRACED_COMMUNICATOR_H_
