#include "engine/comm/communicator.h"

#include <algorithm>
#include <cstring>

namespace zs {
namespace {

template <typename T>
void Put(const Elements& in, const Elements& out, Combine combine) {
  const T* from = static_cast<const T*>(in.data);
  T* to = static_cast<T*>(out.data);
  for (int64_t i = 0; i < in.count; ++i) {
    to[i] = combine == Combine::kAdd ? to[i] + from[i] : from[i];
  }
}

class SingleRankCommunicator final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }

  Work ReduceScatter(Elements in, Elements out, Combine combine) override {
    return AllReduce(in, out, combine);
  }
  Work AllReduce(Elements in, Elements out, Combine combine) override {
    if (in.data == out.data && combine == Combine::kAssign) {
      return Work();
    }
    if (in.type == ElementType::kFloat) {
      Put<float>(in, out, combine);
    } else {
      Put<double>(in, out, combine);
    }
    return Work();
  }
  Work AllGather(Elements) override { return Work(); }
  Work AllGather(Elements own, Elements data) override {
    return AllReduce(own, data, Combine::kAssign);
  }
  Work Broadcast(Elements, int) override { return Work(); }
  Work Broadcast(Elements in, Elements out, int) override {
    return AllReduce(in, out, Combine::kAssign);
  }
  Work SendReceive(Elements out, Elements in) override {
    return AllReduce(out, in, Combine::kAssign);
  }
  Work Barrier() override { return Work(); }
  std::vector<CommUse> TakeUse() override { return {}; }
  void EndUse() override {}
  int64_t staging_bytes() const override { return 0; }
};

}  // namespace

Slice SliceOf(int64_t count, int rank, int size) {
  const int64_t each = (count + size - 1) / size;
  return {std::min(count, rank * each), std::min(count, (rank + 1) * each)};
}

std::unique_ptr<Communicator> SingleRank() {
  return std::make_unique<SingleRankCommunicator>();
}

}  // namespace zs
