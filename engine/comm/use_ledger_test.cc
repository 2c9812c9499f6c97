#include "engine/comm/use_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zs {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

auto Use(const char* op, int64_t calls, int64_t bytes, double ms) {
  return AllOf(Field(&CommUse::op, op), Field(&CommUse::calls, calls),
               Field(&CommUse::bytes, bytes), Field(&CommUse::ms, ms));
}

TEST(UseLedgerTest, TakingEndsTheCurrentPeriod) {
  UseLedger ledger;
  ledger.Ended(ledger.Queued("all_reduce", 100), "all_reduce", 0.5);
  ledger.Ended(ledger.Queued("all_reduce", 20), "all_reduce", 0.25);
  ledger.Queued("all_gather", 7);
  EXPECT_THAT(ledger.Take(), ElementsAre(Use("all_gather", 1, 7, 0),
                                         Use("all_reduce", 2, 120, 0.75)));
  EXPECT_THAT(ledger.Take(), IsEmpty());
}

// A device that is a step behind ends operations of the step before.
TEST(UseLedgerTest, AnOperationCountsWhereItWasQueued) {
  UseLedger ledger;
  const int64_t first = ledger.Queued("reduce_scatter", 10);
  ledger.EndPeriod();
  const int64_t second = ledger.Queued("reduce_scatter", 30);
  ledger.EndPeriod();
  ledger.Ended(first, "reduce_scatter", 1.5);
  EXPECT_THAT(ledger.Take(), ElementsAre(Use("reduce_scatter", 1, 10, 1.5)));
  ledger.Ended(second, "reduce_scatter", 2.5);
  EXPECT_THAT(ledger.Take(), ElementsAre(Use("reduce_scatter", 1, 30, 2.5)));
  EXPECT_THAT(ledger.Take(), IsEmpty());
}

// What is gathered under the next forward pass is no time of the step that
// asked for it, and no time is lost.
TEST(UseLedgerTest, TimeAfterItsPeriodWasTakenCountsInTheNextOne) {
  UseLedger ledger;
  const int64_t first = ledger.Queued("all_gather", 10);
  EXPECT_THAT(ledger.Take(), ElementsAre(Use("all_gather", 1, 10, 0)));
  ledger.Ended(first, "all_gather", 9);
  ledger.Queued("all_gather", 10);
  EXPECT_THAT(ledger.Take(), ElementsAre(Use("all_gather", 1, 10, 9)));
}

}  // namespace
}  // namespace zs
