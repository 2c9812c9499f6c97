// Collective operations between the ranks of a run.
#ifndef ENGINE_COMM_COMMUNICATOR_H_
#define ENGINE_COMM_COMMUNICATOR_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "engine/api/event.h"
#include "engine/comm/work.h"

namespace zs {

enum class ElementType { kFloat, kDouble };

// Elements in memory that the communicator's device can reach; not owned.
struct Elements {
  void* data = nullptr;
  int64_t count = 0;
  ElementType type = ElementType::kFloat;

  Elements() = default;
  // Implicit, so that a span may be handed over.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Elements(std::span<float> values)
      : data(values.data()), count(static_cast<int64_t>(values.size())) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Elements(std::span<double> values)
      : data(values.data()),
        count(static_cast<int64_t>(values.size())),
        type(ElementType::kDouble) {}

  int64_t element_bytes() const { return type == ElementType::kFloat ? 4 : 8; }
};

// What a reduction does with the memory it writes.
enum class Combine {
  kAssign,  // replaces what is there
  kAdd,     // adds to it
};

// The ranks of one run. Every rank calls the same operations in the same order.
//
// Operations are queued and carried out one after the other, beside the calling
// thread: each returns at once a Work to wait for, and the memory belongs to
// the operation until that is done. After the first error all that follow fail
// with the same status, kUnavailable (a closed connection) or
// kDeadlineExceeded (silence), which names the rank; the process should end, so
// that its peers do.
//
// N elements are cut into size() slices of ceil(N / size()), the last ones
// shorter or empty; slice r belongs to rank r. Sums are formed in the order of
// ranks, ((x0 + x1) + x2) + ..., whatever the placement and the timing. An
// all-reduce is a reduce-scatter followed by an all-gather, with the same bits.
//
// Operations are called from one thread.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Sums IN over the ranks and puts this rank's slice of the sum to OUT, which
  // has the size of that slice. IN is not changed, but OUT may be IN's own
  // slice.
  virtual Work ReduceScatter(Elements in, Elements out, Combine combine) = 0;

  // Sums IN over the ranks and puts all of it to OUT, of IN's size; may be IN.
  // With kAdd, OUT must hold the same on every rank before.
  virtual Work AllReduce(Elements in, Elements out, Combine combine) = 0;

  // Fills DATA with every rank's slice; each rank brings its own in place.
  virtual Work AllGather(Elements data) = 0;

  // The same, where this rank's slice is in OWN, which is not in DATA.
  virtual Work AllGather(Elements own, Elements data) = 0;

  // Fills DATA on all ranks with what rank ROOT has in it.
  virtual Work Broadcast(Elements data, int root) = 0;
  // Fills OUT on all ranks with what rank ROOT has in IN, which is elsewhere.
  virtual Work Broadcast(Elements in, Elements out, int root) = 0;

  // Sends OUT to the next rank and fills IN, of the same size and elsewhere,
  // with what the one before sends: a ring.
  virtual Work SendReceive(Elements out, Elements in) = 0;

  // Done when every rank has come here.
  virtual Work Barrier() = 0;

  // OK until the first error; then always that. Does not wait.
  virtual Status status() { return OkStatus(); }

  // Traffic by operation, in periods that EndUse ends: of the oldest one not
  // yet taken, calls and bytes of what was queued in it and the milliseconds of
  // what has ended; what ends later counts in the next one. A current period is
  // ended by being taken.
  virtual std::vector<CommUse> TakeUse() = 0;
  virtual void EndUse() = 0;

  // Bytes held for staging.
  virtual int64_t staging_bytes() const = 0;
};

// The slice of RANK among COUNT elements: [begin, end).
struct Slice {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
};
Slice SliceOf(int64_t count, int rank, int size);

// A run of one rank: operations copy at most and need no network.
std::unique_ptr<Communicator> SingleRank();

}  // namespace zs

#endif  // ENGINE_COMM_COMMUNICATOR_H_
