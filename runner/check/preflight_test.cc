// Checks against real agents on this host.
#include "runner/check/preflight.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "runner/reach/ask.h"

namespace zs {
namespace {

constexpr int64_t kTimeoutMs = 20'000;

class PreflightTest : public ::testing::Test {
 protected:
  PreflightTest() : pool_({"runner/agent/agent", ""}) {
    request_.nodes = {{"a", {}}, {"b", {}}};
  }

  // The result of CHECK on NODE; fails where there is not exactly one.
  CheckResult Of(const std::string& check, const std::string& node) {
    std::vector<CheckResult> found;
    for (const CheckResult& result : results_) {
      if (result.name == check && result.node == node) {
        found.push_back(result);
      }
    }
    EXPECT_EQ(found.size(), 1U) << check << " on " << node;
    return found.empty() ? CheckResult() : found[0];
  }

  void Check() { results_ = RunPreflight(request_, pool_, kTimeoutMs); }

  std::string FreePort() {
    Result<Connection*> connection = pool_.Get("a", {});
    EXPECT_OK(connection);
    return *Ask(**connection, {0, "pick_port", {}}, kTimeoutMs);
  }

  AgentPool pool_;
  PreflightRequest request_;
  std::vector<CheckResult> results_;
};

TEST_F(PreflightTest, AHealthyHostPasses) {
  const std::string file = ::testing::TempDir() + "/same";
  ASSERT_OK(WriteFileAtomically(file, "x"));
  request_.nodes = {{"a", {}}};
  request_.master_addr = "127.0.0.1";
  request_.master_port = std::stoi(FreePort());
  request_.paths = {
      {file, WantedPath::Kind::kFile, true},
      {::testing::TempDir(), WantedPath::Kind::kWritableFolder, false}};
  request_.space_path = ::testing::TempDir();
  request_.space_bytes = 1;
  request_.open_files = 16;
  Check();
  for (const CheckResult& result : results_) {
    EXPECT_EQ(result.state, CheckState::kOk)
        << result.name << ": " << result.found;
    EXPECT_FALSE(result.repeat.empty()) << result.name;
  }
  EXPECT_TRUE(AllOk(results_));
  EXPECT_EQ(results_.size(), 10U);
  // The check's own listener is gone again.
  Check();
  EXPECT_TRUE(AllOk(results_));
}

TEST_F(PreflightTest, AProgramIsKnownByItsContentAndThatOfItsFiles) {
  const std::string folder = ::testing::TempDir() + "/program";
  ASSERT_OK(MakeFolders(folder + "/bin"));
  ASSERT_OK(WriteFileAtomically(folder + "/bin/echo", "#!/bin/sh\n"));
  ASSERT_OK(WriteFileAtomically(folder + "/lr", "x"));
  ASSERT_EQ(::chmod((folder + "/bin/echo").c_str(), 0755), 0);
  request_.nodes = {{"a", {}}};
  request_.versions = true;
  // A shell has echo built in; ranks do not.
  request_.programs = {"echo"};
  request_.program_folder = folder;
  request_.program_words = {"--lr", "lr"};
  request_.path = folder + "/bin:/usr/bin:/bin";
  Check();
  EXPECT_EQ(
      Of("program", "a").facts,
      (std::map<std::string, std::string>{
          // printf '#!/bin/sh\n' | sha256sum; printf x | sha256sum
          {"program",
           "a8076d3d28d21e02012b20eaf7dbf75409a6277134439025f282e368e3305abf"},
          {"word 2",
           "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a488"
           "1"}}))
      << Of("program", "a").found;
  EXPECT_TRUE(Of("machine", "a").facts.contains("cores"));
}

TEST_F(PreflightTest, AMissingNodeIsNamedAndTheOthersAreStillLookedAt) {
  request_.nodes[1].reach = {"sh", "-c", "echo no route >&2; exit 255"};
  Check();
  EXPECT_EQ(Of("reach", "b").state, CheckState::kFailed);
  EXPECT_NE(Of("reach", "b").found.find("no route"), std::string::npos)
      << Of("reach", "b").found;
  EXPECT_EQ(Of("reach", "a").state, CheckState::kOk);
  EXPECT_EQ(Of("clock", "a").state, CheckState::kOk);
  EXPECT_FALSE(AllOk(results_));
}

TEST_F(PreflightTest, LoopbackMasterIsRefusedForTwoNodes) {
  request_.master_addr = "localhost";
  Check();
  EXPECT_EQ(Of("master_address", "b").state, CheckState::kFailed);
}

TEST_F(PreflightTest, UnknownMasterNameIsNamedOnEachNode) {
  request_.master_addr = "no-such-host.invalid";
  Check();
  EXPECT_EQ(Of("resolve", "a").state, CheckState::kFailed);
  EXPECT_EQ(Of("resolve", "b").state, CheckState::kFailed);
}

TEST_F(PreflightTest, TakenPortIsFound) {
  request_.nodes.pop_back();
  request_.master_addr = "127.0.0.1";
  const std::string port = FreePort();
  Result<Connection*> other = pool_.Get("other", {});
  ASSERT_OK(other);
  ASSERT_OK(Ask(**other, {0, "listen", {port}}, kTimeoutMs));
  request_.master_port = std::stoi(port);
  Check();
  EXPECT_EQ(Of("master_port", "a").state, CheckState::kFailed);
  EXPECT_NE(Of("master_port", "a").found.find("in use"), std::string::npos);
}

TEST_F(PreflightTest, MissingPathsAndLimitsThatAreTooLowFail) {
  request_.nodes.pop_back();
  request_.paths = {{"/no/such/file", WantedPath::Kind::kFile, true}};
  request_.open_files = int64_t{1} << 40;
  request_.space_path = "/";
  request_.space_bytes = int64_t{1} << 60;
  Check();
  EXPECT_EQ(Of("path", "a").state, CheckState::kFailed);
  EXPECT_EQ(Of("same_file", "a").state, CheckState::kFailed);
  EXPECT_EQ(Of("open_files", "a").state, CheckState::kFailed);
  EXPECT_EQ(Of("space", "a").state, CheckState::kFailed);
}

// The same names and contents gave a hash also where none could be formed.
TEST_F(PreflightTest, TreesAreEqualOrNotKnownToBe) {
  const std::string tree = ::testing::TempDir() + "/tree";
  ASSERT_OK(MakeFolders(tree));
  ASSERT_OK(WriteFileAtomically(tree + "/a b.py", "x"));
  request_.trees = {tree};
  Check();
  EXPECT_EQ(Of("same_tree", "a").state, CheckState::kOk);
  EXPECT_EQ(Of("same_tree", "b").state, CheckState::kOk);
  // sha256sum does not find a file of which find(1) makes two lines.
  ASSERT_OK(WriteFileAtomically(tree + "/a\nb", "x"));
  Check();
  EXPECT_EQ(Of("same_tree", "a").state, CheckState::kUnknown);
  request_.trees = {tree + "/none"};
  Check();
  EXPECT_EQ(Of("same_tree", "a").state, CheckState::kUnknown);
}

TEST_F(PreflightTest, ProgramsAreFoundInTheExperimentsPath) {
  const std::string folder = ::testing::TempDir() + "/tools";
  ASSERT_OK(MakeFolders(folder));
  ASSERT_OK(WriteFileAtomically(folder + "/zs-tool", "#!/bin/sh\n"));
  ASSERT_EQ(::chmod((folder + "/zs-tool").c_str(), 0755), 0);
  request_.nodes.pop_back();
  request_.programs = {"zs-tool"};
  for (const bool login_shell : {false, true}) {
    request_.login_shell = login_shell;
    request_.path = "";
    Check();
    EXPECT_EQ(Of("program", "a").state, CheckState::kFailed);
    request_.path = folder + ":/usr/bin:/bin";
    Check();
    EXPECT_EQ(Of("program", "a").state, CheckState::kOk)
        << Of("program", "a").found;
  }
}

}  // namespace
}  // namespace zs
