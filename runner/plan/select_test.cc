#include "runner/plan/select.h"

#include <string>
#include <vector>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

using Indices = std::vector<size_t>;

const std::vector<std::string> kNames = {"smoke_1", "z0",    "z1",
                                         "z2",      "z0_r4", "gpt2_z0"};

TEST(MatchNamesTest, WholeNamesWinOverPrefixes) {
  EXPECT_EQ(*MatchNames("z0", kNames), Indices{1});
  EXPECT_EQ(*MatchNames("z0_", kNames), Indices{4});
  EXPECT_EQ(*MatchNames("smoke", kNames), Indices{0});
}

TEST(MatchNamesTest, PatternsMatchAll) {
  EXPECT_EQ(*MatchNames("z?", kNames), (Indices{1, 2, 3}));
  EXPECT_EQ(*MatchNames("*z0*", kNames), (Indices{1, 4, 5}));
  EXPECT_EQ(*MatchNames("*", kNames).value().begin(), 0u);
  EXPECT_STATUS(MatchNames("x*", kNames), StatusCode::kInvalidArgument, "");
}

TEST(MatchNamesTest, ExplainsWhatIsNotClear) {
  EXPECT_STATUS(MatchNames("z", kNames), StatusCode::kInvalidArgument,
                "\"z\" may be z0, z1, z2, z0_r4; give the whole name, or z*");
  EXPECT_STATUS(MatchNames("smoek_1", kNames), StatusCode::kInvalidArgument,
                "did you mean smoke_1?");
  EXPECT_STATUS(MatchNames("", kNames), StatusCode::kInvalidArgument, "");
}

TEST(MatchNamesTest, ManyStarsStayCheap) {
  std::string pattern;
  for (int i = 0; i < 1000; ++i) {
    pattern += "a*";
  }
  const std::vector<std::string> names = {std::string(5000, 'a') + "b"};
  EXPECT_STATUS(MatchNames(pattern + "c", names), StatusCode::kInvalidArgument,
                "no experiment");
}

TEST(MatchAllTest, KeepsEachOnceInOrder) {
  EXPECT_EQ(*MatchAll({"z2", "z?", "z0"}, kNames), (Indices{1, 2, 3}));
  EXPECT_TRUE(MatchAll({}, kNames)->empty());
}

}  // namespace
}  // namespace zs
