#include "runner/plan/spec/fault.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace zs {
namespace {

TEST(PlaceTest, NamesIndexLabelAndField) {
  const Place root;
  const Place experiment(root, "experiments", 3, "z1");
  const Place train(experiment, "train");
  EXPECT_EQ(root.ToString(), "");
  EXPECT_EQ(Place(train, "micro_batch").ToString(),
            "experiments[3] 'z1'.train.micro_batch");
  EXPECT_EQ(Place(Place(experiment, "reach"), "", 2, "").ToString(),
            "experiments[3] 'z1'.reach[2]");
}

TEST(FaultTest, ManyFaultsEndWithTheirNumber) {
  const std::vector<Fault> faults = {{"a", "x"}, {"b", "y"}, {"", "z"}};
  EXPECT_EQ(ToString(faults), "a: x\nb: y\nz");
  EXPECT_EQ(ToString(faults, 1), "a: x\n(2 more)");
}

TEST(ShownTest, EscapesControlCharactersAndCutsWholeCharacters) {
  EXPECT_EQ(Shown(std::string_view("a\x1b[2J")), "\"a\\u001b[2J\"");
  EXPECT_EQ(Shown(std::string_view("\x7f\xc2\x9b")), "\"??\"");
  const std::string long_text(100, 'x');
  EXPECT_EQ(Shown(std::string_view(long_text)).size(), 63u);
  std::string accents;
  for (int i = 0; i < 100; ++i) {
    accents += "é";
  }
  // The cut leaves valid UTF-8: the quote, whole pairs, the dots.
  EXPECT_EQ(Shown(std::string_view(accents)).size() % 2, 0u);
  EXPECT_EQ(Shown(Json{{"k", 1}}), "an object");
  EXPECT_EQ(Shown(Json::array({1, 2})), "a list of 2");
}

TEST(NearestTest, FindsOneEditAndSwaps) {
  const std::vector<std::string_view> names = {"micro_batch", "global_batch",
                                               "steps", "seed"};
  EXPECT_EQ(Nearest("micro_bach", names), "micro_batch");
  EXPECT_EQ(Nearest("setps", names), "steps");
  EXPECT_EQ(Nearest("sed", names), "seed");
  EXPECT_EQ(Nearest("temperature", names), "");
  EXPECT_EQ(Nearest(std::string(100000, 'a'), names), "");
  EXPECT_EQ(DidYouMean("step", names), " (did you mean steps?)");
}

}  // namespace
}  // namespace zs
