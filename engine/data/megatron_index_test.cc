#include "engine/data/megatron_index.h"

#include <string>
#include <vector>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

template <typename T>
void Append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// An index written by the format's description.
struct IndexFile {
  uint64_t version = 1;
  uint8_t type = 4;
  std::vector<int32_t> lengths = {3, 0, 5};
  std::vector<int64_t> pointers = {0, 12, 12};
  std::vector<int64_t> documents = {0, 2, 3};

  std::string Bytes() const {
    std::string out("MMIDIDX\0\0", 9);
    Append(out, version);
    Append(out, type);
    Append(out, static_cast<uint64_t>(lengths.size()));
    Append(out, static_cast<uint64_t>(documents.size()));
    for (const int32_t length : lengths) {
      Append(out, length);
    }
    for (const int64_t pointer : pointers) {
      Append(out, pointer);
    }
    for (const int64_t document : documents) {
      Append(out, document);
    }
    return out;
  }
};

TEST(MegatronIndexTest, ReadsSequencesWithoutGaps) {
  auto index = ParseMegatronIndex(IndexFile().Bytes(), 32);
  ASSERT_OK(index);
  EXPECT_EQ(index->type, TokenType::kInt32);
  EXPECT_EQ(index->sequences, 3);
  EXPECT_EQ(index->documents, 3);
  EXPECT_EQ(index->tokens, 8);
  EXPECT_TRUE(index->starts.empty());
}

TEST(MegatronIndexTest, ReadsSequencesInAnyPlace) {
  IndexFile file;
  file.pointers = {20, 0, 0};
  auto index = ParseMegatronIndex(file.Bytes(), 32);
  ASSERT_OK(index);
  EXPECT_EQ(index->starts, (std::vector<int64_t>{0, 3, 3}));
  EXPECT_EQ(index->pointers, (std::vector<int64_t>{20, 0, 0}));
}

TEST(MegatronIndexTest, AcceptsModes) {
  EXPECT_OK(ParseMegatronIndex(IndexFile().Bytes() + std::string(3, 1), 32));
}

TEST(MegatronIndexTest, NamesTheOffsetOfAFault) {
  struct Case {
    IndexFile file;
    const char* message;
  };
  const std::vector<Case> cases = {
      {{.version = 2}, "offset 9: version 2"},
      {{.type = 0}, "offset 17: token type 0"},
      {{.type = 9}, "offset 17: token type 9"},
      {{.lengths = {3, -1, 5}}, "offset 38: sequence 1 has length -1"},
      {{.lengths = {3, 0, 6}}, "offset 62: sequence 2 of 24 bytes"},
      {{.pointers = {-4, 12, 12}}, "offset 46: sequence 0"},
      {{.pointers = {0, int64_t{1} << 62, 12}}, "offset 54: sequence 1"},
      {{.documents = {0, 4, 3}}, "offset 78: document 1"},
      {{.documents = {0, 2, 1}}, "offset 86: document 2"},
  };
  for (const Case& c : cases) {
    auto index = ParseMegatronIndex(c.file.Bytes(), 32);
    EXPECT_FALSE(index.ok()) << c.message;
    EXPECT_NE(index.status().message().find(c.message), std::string::npos)
        << index.status();
  }
}

TEST(MegatronIndexTest, RefusesEveryTruncation) {
  const std::string bytes = IndexFile().Bytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ParseMegatronIndex(bytes.substr(0, size), 32).ok()) << size;
  }
  EXPECT_FALSE(ParseMegatronIndex(bytes + "xx", 32).ok());
}

TEST(MegatronIndexTest, HugeCountsAllocateNothing) {
  std::string bytes = IndexFile().Bytes();
  for (const size_t offset : {18, 26}) {
    std::string damaged = bytes;
    damaged.replace(offset, 8, 8, '\xff');
    EXPECT_STATUS(ParseMegatronIndex(damaged, 32), StatusCode::kDataLoss,
                  "do not fit");
  }
}

TEST(MegatronIndexTest, AnyDamagedByteIsSafe) {
  const std::string bytes = IndexFile().Bytes();
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const char value : {'\0', '\x01', '\x7f', '\xff'}) {
      std::string damaged = bytes;
      damaged[at] = value;
      auto index = ParseMegatronIndex(damaged, 32);
      if (index.ok()) {
        EXPECT_LE(index->tokens * TokenBytes(index->type), 3 * 32);
      }
    }
  }
}

}  // namespace
}  // namespace zs
