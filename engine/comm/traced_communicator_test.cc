#include "engine/comm/traced_communicator.h"

#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

// Operations that end when the test says so. Notes what the trace tells while
// one is called.
class Slow final : public Communicator {
 public:
  explicit Slow(const CollectiveTrace& trace) : trace_(trace) {}

  int rank() const override { return 0; }
  int size() const override { return 2; }
  Work ReduceScatter(Elements, Elements, Combine) override { return Next(); }
  Work AllReduce(Elements, Elements, Combine) override { return Next(); }
  Work AllGather(Elements) override { return Next(); }
  Work AllGather(Elements, Elements) override { return Next(); }
  Work Broadcast(Elements, int) override { return Next(); }
  Work Broadcast(Elements, Elements, int) override { return Next(); }
  Work SendReceive(Elements, Elements) override { return Next(); }
  Work Barrier() override {
    seen_ = trace_.issued.seq;
    return Work();
  }
  std::vector<CommUse> TakeUse() override { return {}; }
  void EndUse() override {}
  int64_t staging_bytes() const override { return 0; }

  void End() { outcome_->Set(OkStatus()); }
  int64_t seen() const { return seen_; }

 private:
  Work Next() {
    seen_ = trace_.issued.seq;
    outcome_ = std::make_shared<Outcome>();
    return Work(outcome_);
  }
  const CollectiveTrace& trace_;
  int64_t seen_ = 0;
  std::shared_ptr<Outcome> outcome_;
};

TEST(TracedCommunicatorTest, CountsOperationsAndSeesWhatIsWaitedFor) {
  CollectiveTrace trace;
  Slow slow(trace);
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

// A call that blocks is where a hang is looked for.
TEST(TracedCommunicatorTest, TellsOfAnOperationBeforeItsCallCanBlock) {
  CollectiveTrace trace;
  Slow slow(trace);
  TracedCommunicator comm(slow, trace);
  std::vector<float> values(10);
  EXPECT_OK(comm.Barrier().Wait());
  EXPECT_EQ(slow.seen(), 1);
  const Work work = comm.AllGather(std::span(values));
  EXPECT_EQ(slow.seen(), 2);
  slow.End();
  EXPECT_OK(work.Wait());
}

}  // namespace
}  // namespace zs
