#include "engine/data/sample_source.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/status_matchers.h"
#include "engine/data/sample_order.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

class SampleSourceTest : public ::testing::Test {
 protected:
  SampleSourceTest() {
    config_.model.vocab = 256;
    config_.train.seq_len = 4;
    config_.data.kind = "text";
  }

  std::string File(const std::string& name, const std::string& bytes) {
    const std::string path = ::testing::TempDir() + "/" + name;
    EXPECT_OK(WriteFileAtomically(path, bytes));
    return path;
  }

  // The tokens of SAMPLE as characters.
  std::string Read(SampleSource& source, int64_t sample) {
    std::vector<int32_t> tokens(5);
    EXPECT_OK(source.Read(sample, tokens));
    return {tokens.begin(), tokens.end()};
  }

  RunConfig config_;
};

TEST_F(SampleSourceTest, EachEpochSeesEveryWindowOnce) {
  config_.data.paths = {File("a", "abcdefghi"), File("b", "ABCDEFGHIJKLMNO")};
  auto source = OpenSamples(config_);
  ASSERT_OK(source);
  const std::set<std::string> windows = {"abcde", "efghi", "ABCDE", "EFGHI",
                                         "IJKLM"};
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::set<std::string> seen;
    for (int i = 0; i < 5; ++i) {
      seen.insert(Read(**source, epoch * 5 + i));
    }
    EXPECT_EQ(seen, windows);
  }
}

TEST_F(SampleSourceTest, SampleDependsOnSeedAndNumberAlone) {
  config_.data.paths = {File("a", std::string(1000, 'x') + "yz")};
  config_.data.kind = "random";
  auto one = OpenSamples(config_);
  auto two = OpenSamples(config_);
  ASSERT_OK(one);
  ASSERT_OK(two);
  const std::string late = Read(**one, 123456);
  (void)Read(**two, 5);
  EXPECT_EQ(Read(**two, 123456), late);
  config_.train.seed = 2;
  auto other = OpenSamples(config_);
  EXPECT_NE(Read(**other, 123456), late);
}

TEST_F(SampleSourceTest, ErrorsNamePathAndField) {
  const std::string good = File("good", "abcdefghi");
  struct Case {
    std::string path;
    const char* message;
  };
  const std::vector<Case> cases = {
      {"/nonexistent/x", "/nonexistent/x"},
      {File("empty", ""), "is empty"},
      {File("short", "abcd"), "fewer than the 5 of one sample"},
      {::testing::TempDir(), "not a regular file"},
  };
  for (const Case& c : cases) {
    config_.data.paths = {good, c.path};
    auto source = OpenSamples(config_);
    ASSERT_FALSE(source.ok());
    EXPECT_NE(source.status().message().find("data.paths[1]"),
              std::string::npos);
    EXPECT_NE(source.status().message().find(c.message), std::string::npos)
        << source.status();
  }
}

TEST_F(SampleSourceTest, NamesTheByteBeyondTheVocabulary) {
  config_.model.vocab = 128;
  config_.data.paths = {File("latin", "abcdef\xe4ghi")};
  EXPECT_STATUS(OpenSamples(config_), StatusCode::kDataLoss,
                "offset 6: byte 228 is beyond model.vocab 128");
}

TEST_F(SampleSourceTest, ReadsMegatronTokensOfEveryType) {
  config_.data.kind = "megatron";
  const auto append = [](std::string& out, auto value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (uint8_t type = 1; type <= 8; ++type) {
    std::string bin;
    for (const int token : {1, 2, 3, 4, 5}) {
      switch (type) {
        case 1:
          append(bin, static_cast<uint8_t>(token));
          break;
        case 2:
          append(bin, static_cast<int8_t>(token));
          break;
        case 3:
          append(bin, static_cast<int16_t>(token));
          break;
        case 4:
          append(bin, static_cast<int32_t>(token));
          break;
        case 5:
          append(bin, static_cast<int64_t>(token));
          break;
        case 6:
          append(bin, static_cast<double>(token));
          break;
        case 7:
          append(bin, static_cast<float>(token));
          break;
        default:
          append(bin, static_cast<uint16_t>(token));
          break;
      }
    }
    std::string idx("MMIDIDX\0\0", 9);
    append(idx, uint64_t{1});
    append(idx, type);
    append(idx, uint64_t{1});
    append(idx, uint64_t{2});
    append(idx, int32_t{5});
    append(idx, int64_t{0});
    append(idx, int64_t{0});
    append(idx, int64_t{1});
    const std::string prefix = File("m" + std::to_string(type) + ".bin", bin);
    File("m" + std::to_string(type) + ".idx", idx);
    config_.data.paths = {prefix.substr(0, prefix.size() - 4)};
    auto source = OpenSamples(config_);
    ASSERT_OK(source);
    EXPECT_EQ(Read(**source, 0), "\1\2\3\4\5") << int{type};
  }
}

TEST(SampleOrderTest, PermutesEverySmallSize) {
  for (int64_t size = 1; size <= 200; ++size) {
    std::vector<bool> seen(size);
    for (int64_t i = 0; i < size; ++i) {
      const int64_t place = Permute(i, size, 7);
      ASSERT_GE(place, 0);
      ASSERT_LT(place, size);
      ASSERT_FALSE(seen[place]) << size;
      seen[place] = true;
    }
  }
}

TEST(SampleOrderTest, EpochsAndSeedsDiffer) {
  constexpr int64_t kWindows = 1000;
  int equal_epochs = 0;
  int equal_seeds = 0;
  for (int64_t i = 0; i < kWindows; ++i) {
    const int64_t window = WindowOf(i, kWindows, 1);
    equal_epochs += window == WindowOf(kWindows + i, kWindows, 1) ? 1 : 0;
    equal_seeds += window == WindowOf(i, kWindows, 2) ? 1 : 0;
  }
  // Two random permutations agree in one place on average.
  EXPECT_LT(equal_epochs, 10);
  EXPECT_LT(equal_seeds, 10);
}

}  // namespace
}  // namespace zs
