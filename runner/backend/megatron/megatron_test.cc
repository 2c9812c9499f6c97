#include <algorithm>

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "runner/backend/megatron/arguments.h"
#include "runner/backend/megatron/check.h"
#include "runner/backend/megatron/stage_flags.h"
#include "runner/backend/megatron/version.h"

namespace zs {
namespace {

MegatronVersion Version(int minor) {
  return *ParseMegatronVersion("0." + std::to_string(minor) + ".0");
}

Experiment Qwen() {
  Experiment experiment;
  experiment.name = "z1";
  experiment.backend = Backend::kMegatron;
  experiment.has_train = true;
  experiment.model = {.name = "qwen3_1p7b",
                      .layers = 28,
                      .hidden = 2048,
                      .heads = 16,
                      .kv_heads = 8,
                      .head_size = 128,
                      .ffn = 6144,
                      .vocab = 151936,
                      .max_seq_len = 40960,
                      .norm = "rmsnorm",
                      .norm_eps = 1e-6,
                      .position = "rope",
                      .rope_theta = 1e6,
                      .activation = "swiglu",
                      .qk_norm = true};
  experiment.data.kind = "random";
  experiment.train.zero_stage = 1;
  experiment.train.micro_batch = 16;
  experiment.train.global_batch = 2048;
  experiment.train.seq_len = 4096;
  experiment.train.steps = 50;
  experiment.topology.nodes = {"g0033"};
  experiment.topology.ranks_per_node = 8;
  experiment.megatron = MegatronSpec{.root = "/megatron"};
  return experiment;
}

bool HasWords(const std::vector<std::string>& all,
              const std::vector<std::string>& words) {
  return std::search(all.begin(), all.end(), words.begin(), words.end()) !=
         all.end();
}

bool HasError(const std::vector<PlanNote>& notes, const std::string& field) {
  return std::any_of(notes.begin(), notes.end(), [&](const PlanNote& note) {
    return note.is_error && note.field == field;
  });
}

TEST(MegatronVersionTest, OfPackageInfo) {
  const auto version = VersionOfPackageInfo(
      "# comment\nMAJOR = 0\nMINOR = 14\nPATCH = 2\nPRE_RELEASE = 'rc1'\n");
  ASSERT_OK(version);
  EXPECT_EQ(version->minor, 14);
  EXPECT_EQ(version->text, "0.14.2rc1");
  EXPECT_STATUS(VersionOfPackageInfo("MAJOR = 0\n"),
                StatusCode::kInvalidArgument, "MINOR");
  EXPECT_FALSE(VersionOfPackageInfo(std::string(1000, '\xff')).ok());
}

TEST(MegatronVersionTest, OfHelpIsTheOldestThatHasTheNewestFlag) {
  EXPECT_EQ(VersionOfHelp("[--ckpt-format X] [--use-megatron-fsdp]")->minor,
            14);
  EXPECT_EQ(VersionOfHelp("[--data-parallel-sharding-strategy X]")->minor, 12);
  EXPECT_FALSE(VersionOfHelp("usage: ls").ok());
}

TEST(MegatronVersionTest, Declared) {
  EXPECT_EQ(ParseMegatronVersion("core_r0.13.1")->minor, 13);
  EXPECT_EQ(ParseMegatronVersion("core_r0.13.1")->patch, 1);
  EXPECT_GE(ParseMegatronVersion("main")->minor, 20);
  EXPECT_FALSE(ParseMegatronVersion("newest").ok());
}

TEST(StageFlagsTest, StagesOfAFamilyOverlapAlike) {
  for (int minor = kOldestMegatronMinor; minor <= 20; ++minor) {
    for (const MegatronFamily family :
         {MegatronFamily::kDdp, MegatronFamily::kFsdp}) {
      for (int stage = 0; stage <= 2; ++stage) {
        const StagePlan plan = PlanStage(Version(minor), family, stage);
        if (plan.possible()) {
          EXPECT_TRUE(HasWords(plan.flags, {"--overlap-grad-reduce"}))
              << minor << " " << stage;
        }
      }
    }
  }
}

TEST(StageFlagsTest, DdpHasNoStage2InAnyVersion) {
  for (int minor = kOldestMegatronMinor; minor <= 20; ++minor) {
    const StagePlan plan = PlanStage(Version(minor), MegatronFamily::kDdp, 2);
    EXPECT_EQ(plan.effective, 1);
    EXPECT_NE(plan.reason.find("allow_effective"), std::string::npos);
  }
}

TEST(StageFlagsTest, FsdpBeganIn012AndChangedItsNameIn014) {
  EXPECT_FALSE(PlanStage(Version(11), MegatronFamily::kFsdp, 1).possible());
  EXPECT_TRUE(HasWords(PlanStage(Version(13), MegatronFamily::kFsdp, 2).flags,
                       {"--use-custom-fsdp"}));
  const StagePlan plan = PlanStage(Version(14), MegatronFamily::kFsdp, 2);
  EXPECT_EQ(plan.effective, 2);
  EXPECT_TRUE(HasWords(plan.flags, {"--use-megatron-fsdp"}));
  EXPECT_EQ(plan.checkpoint_format, "fsdp_dtensor");
  EXPECT_NE(plan.warning, "");
  EXPECT_EQ(PlanStage(Version(20), MegatronFamily::kFsdp, 2).warning, "");
}

TEST(StageFlagsTest, AnOlderTreeThanAnyKnownIsRefused) {
  EXPECT_FALSE(PlanStage(Version(10), MegatronFamily::kDdp, 0).possible());
}

TEST(MegatronArgumentsTest, Qwen3AsItsPublishedConfigurationSays) {
  const Experiment experiment = Qwen();
  const std::vector<std::string> words =
      MegatronArguments(experiment, Version(14),
                        PlanStage(Version(14), MegatronFamily::kDdp, 1), {});
  for (const std::vector<std::string>& wanted :
       std::vector<std::vector<std::string>>{
           {"--num-layers", "28"},
           {"--group-query-attention", "--num-query-groups", "8"},
           {"--norm-epsilon", "1e-06"},
           {"--rotary-base", "1000000"},
           {"--vocab-size", "151935"},  // NullTokenizer adds one before 0.18
           {"--micro-batch-size", "16"},
           {"--global-batch-size", "2048"},
           {"--use-distributed-optimizer"},
           {"--mock-data"}}) {
    EXPECT_TRUE(HasWords(words, wanted)) << wanted[0];
  }
  EXPECT_FALSE(HasWords(words, {"--ckpt-format"}));
  EXPECT_EQ(NullTokenizerVocabulary(151936, Version(18)), 151936);
}

TEST(MegatronArgumentsTest, ACheckpointThatIsLoadedMustBeThere) {
  const std::vector<std::string> words = MegatronArguments(
      Qwen(), Version(14), PlanStage(Version(14), MegatronFamily::kDdp, 1),
      {.load_dir = "/c"});
  EXPECT_TRUE(
      HasWords(words, {"--load", "/c", "--exit-on-missing-checkpoint"}));
}

TEST(MegatronCheckTest, WhatForbidsTheStart) {
  EXPECT_FALSE(
      HasError(MegatronNotes(Qwen(), Version(14)), "train.zero_stage"));
  Experiment experiment = Qwen();
  experiment.train.zero_stage = 2;
  EXPECT_TRUE(
      HasError(MegatronNotes(experiment, Version(14)), "train.zero_stage"));
  experiment.megatron->allow_effective = true;
  EXPECT_FALSE(
      HasError(MegatronNotes(experiment, Version(14)), "train.zero_stage"));
  experiment.megatron->data_parallel = "fsdp";
  experiment.env["CUDA_DEVICE_MAX_CONNECTIONS"] = "1";
  EXPECT_TRUE(HasError(MegatronNotes(experiment, Version(14)),
                       "env.CUDA_DEVICE_MAX_CONNECTIONS"));
  experiment.megatron->args = {"--ckpt-format=torch"};
  EXPECT_TRUE(
      HasError(MegatronNotes(experiment, Version(14)), "megatron.args"));
}

TEST(MegatronCheckTest, ThePaddingOfTheVocabularyIsTold) {
  EXPECT_EQ(PaddedVocabulary(50257, 1), 50304);
  EXPECT_EQ(PaddedVocabulary(50257, 8), 51200);
  EXPECT_EQ(PaddedVocabulary(151936, 1), 151936);
}

}  // namespace
}  // namespace zs
