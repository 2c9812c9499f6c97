// What scripts on the nodes print, and what that means.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runner/check/container.h"
#include "runner/check/gpus.h"
#include "runner/check/leftovers.h"
#include "runner/check/software.h"

namespace zs {
namespace {

constexpr auto kOk = CheckState::kOk;
constexpr auto kFailed = CheckState::kFailed;
constexpr auto kUnknown = CheckState::kUnknown;

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct GpuCase {
  const char* answer;
  CheckState count;
  CheckState idle;
  CheckState errors;
};

TEST(GpusTest, AreCountedIdleAndWithoutErrors) {
  for (const GpuCase& c : {
           // As an H200 says it under driver 580.
           GpuCase{"exit 0\n0, NVIDIA H200, 143771, 0, 0, No, No\n"
                   "1, NVIDIA H200, 143771, 4, 0, No, No\napps\n",
                   kOk, kOk, kOk},
           GpuCase{"exit 0\n0, NVIDIA H200, 143771, 0, 0, No, No\napps\n",
                   kFailed, kOk, kOk},
           GpuCase{"exit 0\n0, NVIDIA H200, 143771, 0, 0, No, No\n"
                   "1, NVIDIA H200, 143771, 99000, 0, No, No\napps\n",
                   kOk, kFailed, kOk},
           GpuCase{"exit 0\n0, A, 1, 0, 0, No, No\n1, A, 1, 0, 0, No, No\n"
                   "apps\n4242, python3, 500\n",
                   kOk, kFailed, kOk},
           GpuCase{"exit 0\n0, A, 1, 0, 3, No, No\n1, A, 1, 0, 0, No, No\n"
                   "apps\n",
                   kOk, kOk, kFailed},
           GpuCase{"exit 0\n0, A, 1, 0, 0, Yes, No\n1, A, 1, 0, 0, No, No\n"
                   "apps\n",
                   kOk, kOk, kFailed},
           // A card without ECC.
           GpuCase{"exit 0\n0, A, 1, 0, [N/A], [N/A], [N/A]\n"
                   "1, A, 1, 0, [N/A], [N/A], [N/A]\napps\n",
                   kOk, kOk, kOk},
           GpuCase{"exit 0\n0, A, 1, 0, [Not Supported], N/A, [N/A]\n"
                   "1, A, 1, 0, 0, No, No\napps\n",
                   kOk, kOk, kOk},
           GpuCase{"exit 0\n0, A, 1, 0, [Unknown Error], No, No\n"
                   "1, A, 1, 0, 0, No, No\napps\n",
                   kOk, kOk, kUnknown},
           GpuCase{"exit 0\n0, A, 1, 0, 0, [GPU requires reset], No\n"
                   "1, A, 1, 0, 2, No, No\napps\n",
                   kOk, kOk, kFailed},
           GpuCase{
               "exit 0\n0, A, 1, 0, , No, No\n1, A, 1, 0, 0, No, No\napps\n",
               kOk, kOk, kUnknown},
           GpuCase{"exit 127\nsh: nvidia-smi: not found\n", kUnknown, kUnknown,
                   kUnknown},
           GpuCase{"exit 0\nNVIDIA-SMI has failed\n", kUnknown, kUnknown,
                   kUnknown},
       }) {
    const auto results = JudgeGpus(c.answer, 2, {});
    ASSERT_EQ(results.size(), 3U);
    EXPECT_EQ(results[0].state, c.count) << c.answer;
    EXPECT_EQ(results[1].state, c.idle) << c.answer;
    EXPECT_EQ(results[2].state, c.errors) << c.answer;
  }
}

TEST(SoftwareTest, EveryVersionIsAResultOfItsOwn) {
  const auto results = JudgeVersions("kernel 6.1.0\ndriver 580.159.04\n", {});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1].subject, "driver");
  EXPECT_EQ(results[1].value, "580.159.04");
  const auto python = JudgePythonVersions(
      "exit 0\nUserWarning: old\nversion torch 2.8.0\n", {});
  ASSERT_EQ(python.size(), 1U);
  EXPECT_EQ(python[0].value, "2.8.0");
  const auto none = JudgePythonVersions("exit 127\nno python3\n", {});
  ASSERT_EQ(none.size(), 1U);
  EXPECT_EQ(none[0].state, kUnknown);
  EXPECT_EQ(JudgePythonVersions("exit 0\nwelcome\n", {})[0].state, kUnknown);
}

TEST(SoftwareTest, NodeThatLacksASoftwareDiffersFromOneThatHasIt) {
  std::vector<CheckResult> results = {
      {"version", "a", kOk, "", "", "", "python", "3.11"},
      {"version", "a", kOk, "", "", "", "torch", "2.8.0"},
      {"version", "b", kOk, "", "", "", "python", "3.11"},
      {"version", "c", kOk, "", "", "", "python", "3.11"},
      {"version", "c", kUnknown, "", "", "", "", ""}};
  NameMissingVersions(results);
  ASSERT_EQ(results.size(), 6U);  // c is told to be unknown already
  EXPECT_EQ(results[5].node, "b");
  EXPECT_EQ(results[5].subject, "torch");
  CompareOverNodes(results);
  EXPECT_EQ(results[1].state, kOk);
  EXPECT_EQ(results[5].state, kFailed);
  EXPECT_TRUE(Contains(results[5].limit, "2.8.0")) << results[5].limit;
}

TEST(SoftwareTest, WhatMachineItIsIsOnlyTold) {
  CheckResult result;
  JudgeMachine("cpu Fast 9\ncores 64\ninherited:NCCL_ALGO Ring\n", result);
  EXPECT_EQ(result.state, kOk);
  EXPECT_EQ(result.facts["cpu"], "Fast 9");
  EXPECT_EQ(result.facts["inherited:NCCL_ALGO"], "Ring");
  EXPECT_TRUE(Contains(result.found, "Fast 9, 64 cores"));
  CheckResult silent;
  JudgeMachine("", silent);
  EXPECT_EQ(silent.state, kUnknown);
}

TEST(SoftwareTest, ProgramsAndTreesThatAreNotThereFail) {
  CheckResult result;
  JudgeProgram("torchrun", false, "exit 0\n/usr/bin/torchrun\n", result);
  EXPECT_EQ(result.state, kOk);
  JudgeProgram("torchrun", false, "exit 0\nwelcome\n/opt/bin/torchrun\n",
               result);
  EXPECT_EQ(result.found, "torchrun: /opt/bin/torchrun");
  JudgeProgram("train", false,
               "exit 0\ncontent program 1f\ncontent word 2 70000000 2e\n"
               "/opt/train\n",
               result);
  EXPECT_EQ(result.found, "train: /opt/train");
  EXPECT_EQ(result.facts["program"], "1f");
  EXPECT_EQ(result.facts["word 2"], "70000000 2e");
  JudgeProgram("torchrun", false, "exit 1\nnot in PATH=/usr/bin\n", result);
  EXPECT_EQ(result.state, kFailed);
  EXPECT_TRUE(Contains(result.found, "not in PATH=/usr/bin"));
  EXPECT_TRUE(Contains(result.limit, "PATH in env"));
  JudgeProgram("torchrun", true, "exit 1\nnot in PATH=/usr/bin\n", result);
  EXPECT_FALSE(Contains(result.limit, "or PATH in env"));
}

TEST(SoftwareTest, TreeIsComparedByAHashOrNotAtAll) {
  const std::string hash(64, 'a');
  CheckResult result;
  JudgeTree("/opt/megatron", "exit 0\n" + hash + "\ncommit 0123456789abcdef\n",
            result);
  EXPECT_EQ(result.state, kOk);
  EXPECT_EQ(result.value, hash);
  EXPECT_TRUE(Contains(result.found, "commit 0123456789ab"));
  for (const char* answer :
       {"exit 1\ncd: no such folder\n", "exit 0\n", "exit 0\nabcd\n",
        "exit 0\nsha256sum: not found\n"}) {
    CheckResult nothing;
    JudgeTree("/opt/megatron", answer, nothing);
    EXPECT_EQ(nothing.state, kUnknown) << answer;
    EXPECT_TRUE(nothing.subject.empty());
  }
}

TEST(CompareOverNodesTest, FailsTheMinority) {
  std::vector<CheckResult> results;
  for (const char* kernel : {"6.1", "6.1", "5.10", "6.1"}) {
    results.push_back({"version", "n", kOk, "", "", "", "kernel", kernel});
  }
  results.push_back({"version", "n", kUnknown, "", "", "", "kernel", "4"});
  CompareOverNodes(results);
  EXPECT_EQ(results[0].state, kOk);
  EXPECT_EQ(results[2].state, kFailed);
  EXPECT_TRUE(Contains(results[2].limit, "6.1"));
  EXPECT_EQ(results[4].state, kUnknown);
}

TEST(CompareOverNodesTest, OfTwoTheFirstCounts) {
  std::vector<CheckResult> results = {
      {"version", "a", kOk, "", "", "", "driver", "9"},
      {"version", "b", kOk, "", "", "", "driver", "1"}};
  CompareOverNodes(results);
  EXPECT_EQ(results[0].state, kOk);
  EXPECT_EQ(results[1].state, kFailed);
}

TEST(ContainerTest, IsFoundOnTheWay) {
  const auto found = ContainerOf({"ssh", "g0033", "/usr/bin/docker", "exec",
                                  "-i", "-u", "root", "megatron"});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->host, (std::vector<std::string>{"ssh", "g0033"}));
  EXPECT_EQ(found->engine, "/usr/bin/docker");
  EXPECT_EQ(found->name, "megatron");
  EXPECT_FALSE(ContainerOf({"ssh", "docker"}).has_value());
  EXPECT_FALSE(ContainerOf({}).has_value());
}

struct ContainerCase {
  const char* answer;
  size_t nodes;
  CheckState state;
};

TEST(ContainerTest, MustRunInTheHostsNetwork) {
  const ContainerReach megatron{{}, "docker", "megatron"};
  for (const ContainerCase& c :
       {ContainerCase{"exit 0\ntrue host host\n", 4, kOk},
        ContainerCase{"exit 0\ntrue host private\n", 4, CheckState::kWarning},
        ContainerCase{"exit 0\ntrue bridge host\n", 4, kFailed},
        ContainerCase{"exit 0\ntrue bridge host\n", 1, kOk},
        ContainerCase{"exit 0\nfalse host host\n", 4, kFailed},
        ContainerCase{"exit 1\npermission denied\n", 4, kUnknown}}) {
    CheckResult result;
    JudgeContainer(megatron, c.answer, c.nodes, result);
    EXPECT_EQ(result.state, c.state) << c.answer << result.found;
  }
}

TEST(LeftoversTest, ProcessesFailAndFilesAreTold) {
  CheckResult result;
  JudgeLeftovers("shm_files 3\nshm_bytes 60000000\n", result);
  EXPECT_EQ(result.state, kOk);
  EXPECT_TRUE(Contains(result.found, "3 files")) << result.found;
  JudgeLeftovers("process 7 orphan t-1 engine\nshm_files 0\nshm_bytes 0\n",
                 result);
  EXPECT_EQ(result.state, kFailed);
  EXPECT_TRUE(Contains(result.found, "pid 7 (engine) of run t-1"));
  EXPECT_TRUE(Contains(result.limit, "left over"));
  JudgeLeftovers("process 7 owned t-1 engine\n", result);
  EXPECT_TRUE(Contains(result.limit, "another runner"));
}

}  // namespace
}  // namespace zs
