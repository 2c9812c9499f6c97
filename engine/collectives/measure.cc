#include "engine/collectives/measure.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace zs {
namespace {

constexpr int kRoot = 0;

// One operation on one size.
struct Trial {
  std::string op;
  bool in_place = false;
  int64_t count = 0;  // elements of the whole buffer
};

// Frees what Ops allocated.
class Memory {
 public:
  Memory(Ops& ops, float* data) : ops_(ops), data_(data) {}
  ~Memory() { ops_.Free(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  float* data() const { return data_; }

 private:
  Ops& ops_;
  float* data_;
};

Result<std::unique_ptr<Memory>> Allocate(Ops& ops, int64_t bytes) {
  ASSIGN_OR_RETURN(void* data, ops.Allocate(bytes));
  return std::make_unique<Memory>(ops, static_cast<float*>(data));
}

Elements Floats(float* data, int64_t count) {
  return {std::span<float>(data, static_cast<size_t>(count))};
}

class Bench {
 public:
  Bench(const CollectivesConfig& config, const CollectivesParts& parts,
        float* in, float* out)
      : config_(config),
        parts_(parts),
        comm_(parts.comm),
        in_(in),
        out_(out),
        mine_(PatternOf(comm_.rank())),
        sum_(PatternSum(comm_.size())) {}

  Status Run(const Trial& trial);
  int64_t number() const { return number_; }
  // Elements that were wrong in all.
  int64_t wrong() const { return wrong_; }

 private:
  int64_t Share(const Trial& t) const { return t.count / comm_.size(); }
  int64_t Own(const Trial& t) const { return comm_.rank() * Share(t); }
  Work Call(const Trial& t);
  Status Calls(const Trial& t, int64_t times);
  Status Prepare(const Trial& t);
  Result<int64_t> Wrong(const Trial& t);
  Result<int64_t> WrongGathered(const float* data, const Trial& t);
  Status Exchange(double& us, double& wrong);

  const CollectivesConfig& config_;
  const CollectivesParts& parts_;
  Communicator& comm_;
  float* const in_;
  float* const out_;
  const PatternTable mine_;  // what this rank brings
  const PatternTable sum_;   // what all bring together
  int64_t number_ = 0;
  int64_t wrong_ = 0;
};

// Out of place from in_ to out_; in place within out_.
Work Bench::Call(const Trial& t) {
  const Elements whole = Floats(out_, t.count);
  if (t.op == "all_reduce") {
    return comm_.AllReduce(t.in_place ? whole : Floats(in_, t.count), whole,
                           Combine::kAssign);
  }
  if (t.op == "reduce_scatter") {
    return comm_.ReduceScatter(
        t.in_place ? whole : Floats(in_, t.count),
        Floats(out_ + (t.in_place ? Own(t) : 0), Share(t)), Combine::kAssign);
  }
  if (t.op == "all_gather") {
    return t.in_place ? comm_.AllGather(whole)
                      : comm_.AllGather(Floats(in_, Share(t)), whole);
  }
  if (t.op == "broadcast") {
    return t.in_place ? comm_.Broadcast(whole, kRoot)
                      : comm_.Broadcast(Floats(in_, t.count), whole, kRoot);
  }
  return comm_.SendReceive(Floats(in_, t.count), whole);
}

// Leaves it to the device's clock when the last one has ended.
Status Bench::Calls(const Trial& t, int64_t times) {
  Work last;
  for (int64_t i = 0; i < times; ++i) {
    last = Call(t);
  }
  return last.Wait();
}

// Inputs, and outputs that nobody could take for a result.
Status Bench::Prepare(const Trial& t) {
  PatternTable poison;
  poison.fill(std::nanf(""));
  PatternMemory& pattern = parts_.pattern;
  RETURN_IF_ERROR(pattern.Fill(out_, t.count, 0, poison));
  const bool share = t.op == "all_gather";
  const int64_t first = share ? Own(t) : 0;
  float* const to = t.in_place ? out_ + first : in_;
  return pattern.Fill(to, share ? Share(t) : t.count, first, mine_);
}

// Elements of an all-gather that are not what their rank brought.
Result<int64_t> Bench::WrongGathered(const float* data, const Trial& t) {
  int64_t wrong = 0;
  for (int rank = 0; rank < comm_.size(); ++rank) {
    const int64_t first = rank * Share(t);
    ASSIGN_OR_RETURN(const int64_t some,
                     parts_.pattern.CountWrong(data + first, Share(t), first,
                                               PatternOf(rank)));
    wrong += some;
  }
  return wrong;
}

// Elements that this rank got wrong in a first call.
Result<int64_t> Bench::Wrong(const Trial& t) {
  PatternMemory& pattern = parts_.pattern;
  if (t.op == "all_gather") {
    return WrongGathered(out_, t);
  }
  if (t.op == "all_reduce") {
    return pattern.CountWrong(out_, t.count, 0, sum_);
  }
  if (t.op == "reduce_scatter") {
    return pattern.CountWrong(out_ + (t.in_place ? Own(t) : 0), Share(t),
                              Own(t), sum_);
  }
  const int from = t.op == "broadcast"
                       ? kRoot
                       : (comm_.rank() + comm_.size() - 1) % comm_.size();
  return pattern.CountWrong(out_, t.count, 0, PatternOf(from));
}

// The slowest rank's US and the sum of WRONG, on every rank.
Status Bench::Exchange(double& us, double& wrong) {
  std::vector<double> all(2 * comm_.size());
  all[2 * comm_.rank()] = us;
  all[2 * comm_.rank() + 1] = wrong;
  RETURN_IF_ERROR(comm_.AllGather(std::span<double>(all)).Wait());
  us = 0;
  wrong = 0;
  for (int rank = 0; rank < comm_.size(); ++rank) {
    us = std::max(us, all[2 * rank]);
    wrong += all[2 * rank + 1];
  }
  return OkStatus();
}

Status Bench::Run(const Trial& trial) {
  RETURN_IF_ERROR(parts_.stop());
  RETURN_IF_ERROR(Prepare(trial));
  RETURN_IF_ERROR(Calls(trial, 1));
  double wrong = 0;
  if (config_.check) {
    ASSIGN_OR_RETURN(const int64_t count, Wrong(trial));
    wrong = static_cast<double>(count);
  }
  RETURN_IF_ERROR(Calls(trial, config_.warmup));
  RETURN_IF_ERROR(comm_.Barrier().Wait());
  const int64_t begin = parts_.ops.Mark();
  RETURN_IF_ERROR(Calls(trial, config_.iterations));
  const int64_t end = parts_.ops.Mark();
  double us = 1e3 * parts_.ops.MsBetween(begin, end) /
              static_cast<double>(config_.iterations);
  RETURN_IF_ERROR(parts_.ops.Finish());
  RETURN_IF_ERROR(Exchange(us, wrong));
  wrong_ += static_cast<int64_t>(wrong);
  ++number_;
  if (comm_.rank() != 0) {
    return OkStatus();
  }
  const int64_t size = trial.count * static_cast<int64_t>(sizeof(float));
  const double algbw = us > 0 ? static_cast<double>(size) / us * 1e-3 : 0;
  return parts_.report(
      {.rank = 0,
       .number = number_,
       .op = trial.op,
       .in_place = trial.in_place,
       .size_bytes = size,
       .calls = config_.iterations,
       .time_us = us,
       .algbw_gb_s = algbw,
       .busbw_gb_s = algbw * BusFactor(trial.op, comm_.size()),
       .wrong = config_.check ? static_cast<int64_t>(wrong) : -1});
}

// A whole number of elements for each rank.
int64_t CountOf(int64_t bytes, int ranks) {
  return bytes / static_cast<int64_t>(sizeof(float)) / ranks * ranks;
}

}  // namespace

Result<int64_t> MeasureCollectives(const CollectivesConfig& config,
                                   const CollectivesParts& parts) {
  ASSIGN_OR_RETURN(const auto in, Allocate(parts.ops, config.max_bytes));
  ASSIGN_OR_RETURN(const auto out, Allocate(parts.ops, config.max_bytes));
  Bench bench(config, parts, in->data(), out->data());
  for (const std::string& op : config.ops) {
    for (int64_t bytes = config.min_bytes; bytes <= config.max_bytes;
         bytes *= 2) {
      const int64_t count = CountOf(bytes, parts.comm.size());
      for (const bool in_place : {false, true}) {
        if (count > 0 && !(in_place && op == "send_receive")) {
          RETURN_IF_ERROR(bench.Run({op, in_place, count}));
        }
      }
    }
  }
  RETURN_IF_ERROR(parts.comm.Barrier().Wait());
  if (bench.wrong() > 0) {
    return FailedPreconditionError(
        std::to_string(bench.wrong()) +
        " elements of collective operations were wrong; look at \"wrong\" of "
        "each size, at the links' error counters and at the GPUs' ECC errors");
  }
  return bench.number();
}

}  // namespace zs
