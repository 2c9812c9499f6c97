#include "runner/backend/line_splitter.h"

#include <vector>

#include "gtest/gtest.h"

namespace zs {
namespace {

class LineSplitterTest : public ::testing::Test {
 protected:
  void Add(std::string_view bytes) { splitter_.Add(bytes, Collect()); }
  LineSplitter::Callback Collect() {
    return [this](std::string_view line) { lines_.emplace_back(line); };
  }

  LineSplitter splitter_{8};
  std::vector<std::string> lines_;
};

using Lines = std::vector<std::string>;

TEST_F(LineSplitterTest, GivesWholeLinesHoweverTheBytesAreCut) {
  Add("one\ntw");
  Add("o");
  Add("\n\nthree");
  EXPECT_EQ(lines_, (Lines{"one", "two", ""}));
  splitter_.Finish(Collect());
  EXPECT_EQ(lines_.back(), "three");
}

TEST_F(LineSplitterTest, KeepsTheStartOfALongLineAndGoesOnAfterIt) {
  Add("0123456789abcdef");
  Add("more\nshort\n");
  Add("0123456789\n");
  EXPECT_EQ(lines_, (Lines{"01234567", "short", "01234567"}));
}

TEST_F(LineSplitterTest, ForgetsALineThatWasBrokenOff) {
  Add("abc");
  splitter_.Break();
  Add("def\nnext\n");
  EXPECT_EQ(lines_, (Lines{"next"}));
}

TEST_F(LineSplitterTest, NothingLeftGivesNoLine) {
  Add("one\n");
  splitter_.Finish(Collect());
  EXPECT_EQ(lines_, (Lines{"one"}));
}

}  // namespace
}  // namespace zs
