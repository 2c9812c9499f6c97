#include "runner/plan/eval/evaluate.h"

#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "base/files.h"
#include "base/hash.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

class EvaluateTest : public ::testing::Test {
 protected:
  EvaluateTest() {
    root_ = ::testing::TempDir() + "/evaluate_test." +
            ::testing::UnitTest::GetInstance()->current_test_info()->name();
    request_.file = root_ + "/own/x.jsonnet";
    request_.library_dir = root_ + "/library";
    request_.machine = R"({"cores": 2})";
  }

  void Put(const std::string& path, const std::string& text) {
    const std::string full = root_ + "/" + path;
    ASSERT_OK(MakeFolders(full.substr(0, full.rfind('/'))));
    ASSERT_OK(WriteFileAtomically(full, text));
  }

  Result<Evaluated> EvaluateText(const std::string& text) {
    Put("own/x.jsonnet", text);
    return Evaluate(request_);
  }

  // The document without white space.
  std::string Compact(const std::string& text) {
    auto evaluated = EvaluateText(text);
    if (!evaluated.ok()) {
      return evaluated.status().ToString();
    }
    std::string compact;
    for (const char c : evaluated->document) {
      if (c != ' ' && c != '\n') {
        compact += c;
      }
    }
    return compact;
  }

  std::string root_;
  EvalRequest request_;
};

TEST_F(EvaluateTest, GivesTheDocumentAndTheFilesItCameFrom) {
  Put("library/lib/a.libsonnet", "{ b: 1 }");
  auto evaluated = EvaluateText("import 'lib/a.libsonnet'");
  ASSERT_OK(evaluated);
  EXPECT_EQ(evaluated->document, "{\n   \"b\": 1\n}\n");
  ASSERT_EQ(evaluated->files.size(), 2u);
  EXPECT_EQ(evaluated->files[0].path, request_.file);
  EXPECT_EQ(evaluated->files[1].path, root_ + "/library/lib/a.libsonnet");
  EXPECT_EQ(evaluated->files[1].sha256, Sha256Hex("{ b: 1 }"));
}

TEST_F(EvaluateTest, MachineGoesToAFunctionThatAsksForIt) {
  EXPECT_EQ(Compact("function(machine) machine"), R"({"cores":2})");
  EXPECT_EQ(Compact("function(machine=null) machine"), R"({"cores":2})");
  EXPECT_EQ(Compact("function(a=5) a"), "5");
  EXPECT_EQ(Compact("{ a: 1 }"), R"({"a":1})");
  request_.tla_codes = {{"machine", "7"}};
  EXPECT_EQ(Compact("function(machine) machine"), "7");
}

TEST_F(EvaluateTest, FaultsOfCallsInsideAreNotTakenForTheMachine) {
  EXPECT_STATUS(EvaluateText("function(machine) (function() 1)(machine=1)"),
                StatusCode::kInvalidArgument,
                "function has no parameter machine");
  EXPECT_STATUS(EvaluateText("function(other) other"),
                StatusCode::kInvalidArgument, "other not bound");
}

TEST_F(EvaluateTest, PassesVariablesAndArguments) {
  request_.ext_strs = {{"s", "a'b"}};
  request_.ext_codes = {{"c", "1 + 1"}};
  request_.tla_strs = {{"x", "1"}};
  request_.tla_codes = {{"y", "[1]"}};
  EXPECT_EQ(Compact("function(x, y) [x, y, std.extVar('s'), std.extVar('c')]"),
            R"(["1",[1],"a'b",2])");
}

TEST_F(EvaluateTest, LaterLibraryFoldersWinAsInJsonnet) {
  Put("one/m.libsonnet", "1");
  Put("two/m.libsonnet", "2");
  request_.jpaths = {root_ + "/one", root_ + "/two"};
  EXPECT_EQ(Compact("import 'm.libsonnet'"), "2");
}

TEST_F(EvaluateTest, ImportsWithinTheExperimentsFolder) {
  Put("experiments/lib/m.libsonnet", "3");
  Put("experiments/sub/x.jsonnet", "import '../lib/m.libsonnet'");
  request_.file = root_ + "/experiments/sub/x.jsonnet";
  EXPECT_OK(Evaluate(request_));
}

// As under `bazel run`, where the library is a folder of links.
TEST_F(EvaluateTest, ImportsFromALibraryOfLinks) {
  Put("source/lib/matrix.libsonnet", "import 'other.libsonnet'");
  Put("source/lib/other.libsonnet", "4");
  ASSERT_OK(MakeFolders(request_.library_dir + "/lib"));
  for (const std::string name : {"matrix", "other"}) {
    ASSERT_EQ(
        ::symlink(
            (root_ + "/source/lib/" + name + ".libsonnet").c_str(),
            (request_.library_dir + "/lib/" + name + ".libsonnet").c_str()),
        0);
  }
  EXPECT_EQ(Compact("import 'lib/matrix.libsonnet'"), "4");
}

TEST_F(EvaluateTest, ErrorsNameFileLineAndColumn) {
  EXPECT_STATUS(EvaluateText("{\n  a: b,\n}"), StatusCode::kInvalidArgument,
                "/own/x.jsonnet:2:6");
  EXPECT_STATUS(EvaluateText("{ a: error 'no \x1b[2Jscreen' }"),
                StatusCode::kInvalidArgument, "no ?[2Jscreen");
  EXPECT_STATUS(EvaluateText("import '/etc/passwd'"),
                StatusCode::kInvalidArgument, "absolute paths are not allowed");
  EXPECT_STATUS(EvaluateText(""), StatusCode::kInvalidArgument,
                "x.jsonnet:1:1");
}

TEST_F(EvaluateTest, MissingAndIrregularFiles) {
  EXPECT_STATUS(Evaluate(request_), StatusCode::kInvalidArgument,
                "No such file");
  request_.file = root_;
  ASSERT_OK(MakeFolders(root_));
  EXPECT_STATUS(Evaluate(request_), StatusCode::kInvalidArgument,
                "not a regular file");
  EXPECT_STATUS(EvaluateText(std::string("1\0 2", 4)),
                StatusCode::kInvalidArgument, "not a regular file");
  request_.file = root_ + "/own/x.jsonnet";
  EXPECT_STATUS(EvaluateText(std::string("1\0 2", 4)),
                StatusCode::kInvalidArgument, "NUL byte");
}

TEST_F(EvaluateTest, TheEnvironmentIsOutOfReach) {
  ::setenv("ZS_CANARY", "sing", 1);
  EXPECT_STATUS(EvaluateText("std.extVar('ZS_CANARY')"),
                StatusCode::kInvalidArgument, "ZS_CANARY");
}

TEST_F(EvaluateTest, TracesAreKept) {
  auto evaluated = EvaluateText("std.trace('here', 1)");
  ASSERT_OK(evaluated);
  EXPECT_NE(evaluated->trace.find("here"), std::string::npos);
}

}  // namespace
}  // namespace zs
