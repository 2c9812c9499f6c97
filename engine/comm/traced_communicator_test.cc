#include "engine/comm/traced_communicator.h"

#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

// Operations that end when the test says so.
class Slow final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 2; }
  Work ReduceScatter(Elements, Elements, Combine) override { return Next(); }
  Work AllReduce(Elements, Elements, Combine) override { return Next(); }
  Work AllGather(Elements) override { return Next(); }
  Work AllGather(Elements, Elements) override { return Next(); }
  Work Broadcast(Elements, int) override { return Next(); }
  Work Broadcast(Elements, Elements, int) override { return Next(); }
  Work SendReceive(Elements, Elements) override { return Next(); }
  Work Barrier() override { return Work(); }
  std::vector<CommUse> TakeUse() override { return {}; }
  void EndUse() override {}
  int64_t staging_bytes() const override { return 0; }

  void End() { outcome_->Set(OkStatus()); }

 private:
  Work Next() {
    outcome_ = std::make_shared<Outcome>();
    return Work(outcome_);
  }
  std::shared_ptr<Outcome> outcome_;
};

TEST(TracedCommunicatorTest, CountsOperationsAndSeesWhatIsWaitedFor) {
  Slow slow;
  CollectiveTrace trace;
  TracedCommunicator comm(slow, trace);
  EXPECT_STREQ(trace.issued.op, "none");
  EXPECT_OK(comm.Barrier().Wait());
  EXPECT_EQ(trace.issued.seq, 1);
  EXPECT_EQ(trace.awaited.seq, 0);

  std::vector<float> values(10);
  const Work work =
      comm.AllReduce(std::span(values), std::span(values), Combine::kAssign);
  EXPECT_STREQ(trace.issued.op, "all_reduce");
  EXPECT_EQ(trace.issued.seq, 2);
  EXPECT_EQ(trace.issued.bytes, 40);
  EXPECT_EQ(trace.awaited.seq, 0);
  std::thread waiter([&work] { EXPECT_OK(work.Wait()); });
  while (trace.awaited.seq == 0) {
    std::this_thread::yield();
  }
  EXPECT_EQ(trace.awaited.seq, 2);
  EXPECT_STREQ(trace.awaited.op, "all_reduce");
  slow.End();
  waiter.join();
  EXPECT_EQ(trace.awaited.seq, 0);
}

}  // namespace
}  // namespace zs
