#include "results/report/names.h"

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs::results {
namespace {

using Names = std::vector<std::string>;

TEST(NamesTest, SelectsWhatIsMeant) {
  const Names candidates = {"smoke", "smoke_r2", "z0_r2", "z0_r4",
                            "z1_r2", "z1_r4",    "z10_r2"};
  const struct {
    const char* pattern;
    Names names;
    Names suffixes;
  } cases[] = {
      {"smoke", {"smoke"}, {""}},  // exact wins over its longer one
      {"z1", {"z1_r2", "z1_r4"}, {"_r2", "_r4"}},  // not z10_r2
      {"z*_r2", {"z0_r2", "z1_r2", "z10_r2"}, {"", "", ""}},
      {"z10", {"z10_r2"}, {"_r2"}},
      {"smo", {}, {}},
      {"z0_r", {}, {}},
      {"z0_r4", {"z0_r4"}, {""}},
  };
  for (const auto& c : cases) {
    const auto selection = SelectNames(c.pattern, candidates);
    if (c.names.empty()) {
      EXPECT_STATUS(selection, StatusCode::kInvalidArgument, "is ambiguous");
      continue;
    }
    ASSERT_TRUE(selection.ok()) << c.pattern;
    EXPECT_EQ(selection->names, c.names);
    EXPECT_EQ(selection->suffixes, c.suffixes);
  }
}

TEST(NamesTest, OnlyBeginningIsEnough) {
  const auto selection = SelectNames("sm", {"smoke", "z0"});
  ASSERT_OK(selection);
  EXPECT_EQ(selection->names, Names{"smoke"});
}

TEST(NamesTest, ErrorsListTheCandidates) {
  EXPECT_STATUS(SelectNames("x", {"z0", "z1"}), StatusCode::kNotFound,
                "no experiment is called 'x'; recorded: z0, z1");
  EXPECT_STATUS(SelectNames("x*", {"z0"}), StatusCode::kNotFound, "z0");
  EXPECT_STATUS(SelectNames("", {"z0"}), StatusCode::kNotFound, "z0");
  EXPECT_STATUS(SelectNames("z", {"z0", "z1"}), StatusCode::kInvalidArgument,
                "'z' is ambiguous: z0, z1; give one of them, or 'z*' for all");
  EXPECT_STATUS(SelectNames("x", Names(25, "n")), StatusCode::kNotFound,
                "and 5 more");
}

}  // namespace
}  // namespace zs::results
