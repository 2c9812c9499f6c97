#include "runner/sweep/keyed_content.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/files.h"
#include "base/json.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

class KeyedContentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    ASSERT_OK(MakeFolders(folder_));
  }
  void Write(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(folder_ + "/" + name).parent_path());
    std::ofstream(folder_ + "/" + name) << text;
  }
  Experiment Command(const std::vector<std::string>& argv) const {
    Experiment experiment;
    experiment.backend = Backend::kCommand;
    experiment.command.emplace();
    experiment.command->argv = argv;
    experiment.command->cwd = folder_;
    return experiment;
  }
  Experiment Megatron() const {
    Experiment experiment;
    experiment.backend = Backend::kMegatron;
    experiment.megatron.emplace();
    experiment.megatron->root = folder_;
    return experiment;
  }
  static KeyedContent Of(const Experiment& experiment) {
    ContentReader reader;
    auto content = reader.Program(experiment);
    EXPECT_OK(content);
    return content.ok() ? *std::move(content) : KeyedContent();
  }

  std::string folder_ = ::testing::TempDir() + "/keyed_content";
};

TEST_F(KeyedContentTest, FilesOfOneNameAreBothInTheKey) {
  Write("a/train.py", "a");
  Write("b/train.py", "b");
  const Experiment experiment =
      Command({"/bin/sh", "a/train.py", "--lr", "b/train.py"});
  const std::string before = Of(experiment).text;
  const auto json = ParseJson(before);
  ASSERT_OK(json);
  EXPECT_TRUE(json->contains("program"));
  // printf a | sha256sum
  EXPECT_EQ((*json)["word 1"]["sha256"],
            "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb");
  EXPECT_FALSE(json->contains("word 2"));
  Write("a/train.py", "A");
  const std::string first = Of(experiment).text;
  EXPECT_NE(first, before);
  Write("b/train.py", "B");
  EXPECT_NE(Of(experiment).text, first);
}

TEST_F(KeyedContentTest, AProgramInThePathIsKnownByItsContent) {
  Write("bin/trainer", "one");
  fs::permissions(folder_ + "/bin/trainer", fs::perms(0755));
  Experiment experiment = Command({"trainer"});
  experiment.env["PATH"] = folder_ + "/bin";
  const std::string before = Of(experiment).text;
  EXPECT_FALSE(before.empty());
  Write("bin/trainer", "two");
  EXPECT_NE(Of(experiment).text, before);
}

TEST_F(KeyedContentTest, ATreeIsItsSourcesNotWhatIsMadeOfThem) {
  Write("pretrain_gpt.py", "import megatron");
  Write("megatron/core/optimizer.py", "lr = 1");
  const std::string before = Of(Megatron()).text;
  Write("megatron/core/__pycache__/optimizer.cpython-311.pyc", "x");
  Write("megatron/core/datasets/helpers_cpp.so", "x");
  Write("logs/z0_node0.log", "x");
  Write(".git/index", "x");
  EXPECT_EQ(Of(Megatron()).text, before);
  Write("megatron/core/optimizer.py", "lr = 2");
  EXPECT_NE(Of(Megatron()).text, before);
  Write("megatron/core/optimizer.py", "lr = 1");
  EXPECT_EQ(Of(Megatron()).text, before);
  Write("megatron/core/schedule.py", "");
  EXPECT_NE(Of(Megatron()).text, before);
}

TEST_F(KeyedContentTest, WhatIsTouchedIsNoticed) {
  Write("train.py", "a");
  const KeyedContent content = Of(Command({"/bin/sh", "train.py"}));
  // Another file under the name, of the same size: no clock is needed.
  Write("new.py", "b");
  fs::rename(folder_ + "/new.py", folder_ + "/train.py");
  EXPECT_EQ(FirstTouched(content.files), folder_ + "/train.py");
}

TEST_F(KeyedContentTest, WhatHasLongBeenAsItIsIsNotTouched) {
  Experiment experiment = Command({"/bin/sh"});
  EXPECT_EQ(FirstTouched(Of(experiment).files), "");
}

TEST_F(KeyedContentTest, AFileThatChangedJustNowIsLookedAtAgain) {
  Write("train.py", "a");
  const KeyedContent content = Of(Command({"/bin/sh", "train.py"}));
  EXPECT_EQ(FirstTouched(content.files), folder_ + "/train.py");
}

TEST_F(KeyedContentTest, AFileThatIsNewInATreeIsNoticed) {
  Write("core/schedule.py", "x");
  const KeyedContent content = Of(Megatron());
  // A new file changes its folder.
  for (const std::string& folder : {folder_, folder_ + "/core"}) {
    EXPECT_TRUE(std::any_of(content.files.begin(), content.files.end(),
                            [&](const auto& stamps) {
                              return std::any_of(stamps->begin(), stamps->end(),
                                                 [&](const FileStamp& stamp) {
                                                   return stamp.path == folder;
                                                 });
                            }))
        << folder;
  }
  Write("core/new.py", "x");
  EXPECT_NE(FirstTouched(content.files), "");
}

TEST_F(KeyedContentTest, DataIsReadOnceAndNoticed) {
  Write("corpus.txt", "text");
  const DataConfig data = {.kind = "text", .paths = {folder_ + "/corpus.txt"}};
  ContentReader reader;
  const auto content = reader.Data(data);
  ASSERT_OK(content);
  fs::remove(folder_ + "/corpus.txt");
  EXPECT_EQ(FirstTouched(content->files), folder_ + "/corpus.txt");
  EXPECT_OK(reader.Data(data));
  ContentReader other;
  EXPECT_EQ(other.Data(data).status().code(), StatusCode::kNotFound);
}

TEST_F(KeyedContentTest, WhatIsNotThereIsLeftOut) {
  EXPECT_EQ(Of(Command({"/no/such/program", "x"})).text, "");
}

}  // namespace
}  // namespace zs
