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

}  // namespace
}  // namespace zs
