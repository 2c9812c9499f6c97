#include "runner/backend/step_tellers.h"

#include <limits>

#include "gtest/gtest.h"

namespace zs {
namespace {

constexpr StepTeller kRank0 = {0, -1};
constexpr StepTeller kRank1 = {1, -1};

TEST(StepTellersTest, RowsAreThoseOfTheLowestThatTellsAny) {
  StepTellers tellers;
  EXPECT_TRUE(tellers.Take(kRank1, {.step = 1, .loss = 9}));
  EXPECT_TRUE(tellers.Take(kRank1, {.step = 2, .loss = 8}));
  EXPECT_FALSE(tellers.replaced());
  EXPECT_TRUE(tellers.Take(kRank0, {.step = 1, .loss = 3}));
  EXPECT_TRUE(tellers.replaced());
  EXPECT_FALSE(tellers.Take(kRank1, {.step = 3, .loss = 7}));
  ASSERT_EQ(tellers.rows().size(), 1U);
  EXPECT_EQ(tellers.rows()[0].loss, 3);
  EXPECT_EQ(tellers.last_step(), 3);
}

TEST(StepTellersTest, ARepeatedStepFillsInAndAnEarlierOneIsLeftOut) {
  StepTellers tellers;
  tellers.Take(kRank0, {.step = 1, .loss = 3});
  tellers.Take(kRank0, {.step = 2, .loss = 2});
  EXPECT_FALSE(tellers.Take(kRank0, {.step = 2, .loss = 9, .step_ms = 5}));
  EXPECT_FALSE(tellers.Take(kRank0, {.step = 1, .step_ms = 7}));
  ASSERT_EQ(tellers.rows().size(), 2U);
  EXPECT_EQ(tellers.rows()[1].loss, 2);
  EXPECT_EQ(tellers.rows()[1].step_ms, 5);
  EXPECT_FALSE(tellers.rows()[0].step_ms.has_value());
}

TEST(StepTellersTest, WhoStayedBehindIsNamed) {
  StepTellers tellers;
  EXPECT_FALSE(tellers.Apart().has_value());
  tellers.Take(kRank0, {.step = 2});
  EXPECT_FALSE(tellers.Apart().has_value());
  tellers.Take(kRank1, {.step = 5});
  ASSERT_TRUE(tellers.Apart().has_value());
  EXPECT_EQ(tellers.Apart()->first, (StepTellers::Reached(kRank0, 2)));
  EXPECT_EQ(tellers.Apart()->second, (StepTellers::Reached(kRank1, 5)));
  tellers.Take(kRank0, {.step = 5});
  EXPECT_FALSE(tellers.Apart().has_value());
}

TEST(StepTellersTest, ALossThatIsNoNumberIsSeenOnWhateverRank) {
  StepTellers tellers;
  tellers.Take(kRank0, {.step = 1, .loss = 3});
  EXPECT_FALSE(tellers.bad_loss().has_value());
  tellers.Take(kRank1,
               {.step = 4, .loss = std::numeric_limits<double>::infinity()});
  ASSERT_TRUE(tellers.bad_loss().has_value());
  EXPECT_EQ(tellers.bad_loss()->teller, kRank1);
  EXPECT_EQ(tellers.bad_loss()->step, 4);
}

}  // namespace
}  // namespace zs
