#include "runner/sweep/surroundings.h"

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

class EngineContentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    ASSERT_OK(MakeFolders(folder_));
    std::ofstream(folder_ + "/engine") << "engine";
    std::ofstream(folder_ + "/libengine_cuda.so") << "kernels";
  }
  std::string On(const std::string& device) const {
    KnownProgram engine(folder_ + "/engine");
    const auto content = EngineContent(engine, device);
    EXPECT_OK(content);
    return content.ok() ? *content : "";
  }

  std::string folder_ = ::testing::TempDir() + "/engine_content";
};

TEST_F(EngineContentTest, OnGpusAKernelThatIsBuiltAnewIsAnotherEngine) {
  const std::string cpu = On("cpu");
  const std::string cuda = On("cuda");
  EXPECT_NE(cpu, cuda);
  std::ofstream(folder_ + "/libengine_cuda.so") << "other kernels";
  EXPECT_EQ(On("cpu"), cpu);
  EXPECT_NE(On("cuda"), cuda);
}

TEST_F(EngineContentTest, AProgramThatIsBuiltAnewIsAnotherEngineEverywhere) {
  const std::string cpu = On("cpu");
  const std::string cuda = On("cuda");
  std::ofstream(folder_ + "/engine") << "another";
  EXPECT_NE(On("cpu"), cpu);
  EXPECT_NE(On("cuda"), cuda);
}

TEST_F(EngineContentTest, NamesEachFile) {
  // printf kernels | sha256sum
  EXPECT_NE(On("cuda").find("\"libengine_cuda.so\":"
                            "\"e98f56f907c45b8a6621bdf148bdb5afdd9cba932fd4d989"
                            "8890733e094d9f45\""),
            std::string::npos)
      << On("cuda");
}

class SurroundingsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    ASSERT_OK(MakeFolders(folder_));
    Write("engine", "#!/bin/sh\necho engine 1\necho libdnnl.so.3 ab12\n");
    std::filesystem::permissions(folder_ + "/engine",
                                 std::filesystem::perms(0755));
    Write("corpus.txt", "text");
  }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
  }
  KeyedSurroundings Of(const Experiment& experiment) {
    SurroundingsHere here(machine_, folder_ + "/engine", inherited_);
    auto keyed = here.Of(experiment);
    EXPECT_OK(keyed);
    return keyed.ok() ? *std::move(keyed) : KeyedSurroundings();
  }
  Experiment Command() const {
    Experiment experiment;
    experiment.backend = Backend::kCommand;
    experiment.command.emplace().argv = {"/bin/sh"};
    experiment.data = {.kind = "text", .paths = {folder_ + "/corpus.txt"}};
    return experiment;
  }

  std::string folder_ = ::testing::TempDir() + "/surroundings";
  Machine machine_;
  InheritedVariables inherited_{
      std::map<std::string, std::string>{{"OMP_PLACES", "cores"}}};
};

TEST_F(SurroundingsTest, DataCountsWhateverTheBackend) {
  const std::string before = Of(Command()).surroundings.data;
  EXPECT_FALSE(before.empty());
  Write("corpus.txt", "other");
  EXPECT_NE(Of(Command()).surroundings.data, before);
}

TEST_F(SurroundingsTest, TheEnginesLibrariesAreSoftware) {
  const auto software = ParseJson(Of(Experiment()).surroundings.software);
  ASSERT_OK(software);
  EXPECT_EQ((*software)["engine"], "engine 1");
  EXPECT_EQ((*software)["libdnnl.so.3"], "ab12");
  EXPECT_EQ(Of(Experiment()).surroundings.unknown, "");
}

TEST_F(SurroundingsTest, AnEngineThatDoesNotTellItsLibrariesIsUnknown) {
  Write("engine", "#!/bin/sh\nexit 1\n");
  EXPECT_NE(Of(Experiment()).surroundings.unknown, "");
}

TEST_F(SurroundingsTest, OfOtherHostsOnlyFilesThatAreHereAreKnown) {
  Experiment experiment = Command();
  experiment.topology.reach = {"ssh", "{host}"};
  const Surroundings known = Of(experiment).surroundings;
  EXPECT_EQ(known.software + known.hardware + known.inherited + known.engine,
            "");
  EXPECT_EQ(known.data, Of(Command()).surroundings.data);
}

TEST_F(SurroundingsTest, InheritedVariablesArePartOfIt) {
  EXPECT_EQ(Of(Command()).surroundings.inherited, R"({"OMP_PLACES":"cores"})");
}

TEST_F(SurroundingsTest, AFileThatChangedIsNamedAndOneThatWasTouchedIsNot) {
  const Experiment experiment = Command();
  KeyedSurroundings keyed = Of(experiment);
  const Key key = MakeKey(experiment, keyed.surroundings);
  EXPECT_OK(CheckFilesAreKeyed(experiment, key, keyed.files));
  std::filesystem::rename(folder_ + "/corpus.txt", folder_ + "/old");
  Write("corpus.txt", "text");
  EXPECT_OK(CheckFilesAreKeyed(experiment, key, keyed.files));
  Write("corpus.txt", "another");
  const Status changed = CheckFilesAreKeyed(experiment, key, keyed.files);
  EXPECT_EQ(changed.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(changed.message().find("corpus.txt changed"), std::string::npos);
  std::filesystem::remove(folder_ + "/corpus.txt");
  EXPECT_FALSE(CheckFilesAreKeyed(experiment, key, keyed.files).ok());
}

}  // namespace
}  // namespace zs
