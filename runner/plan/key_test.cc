#include "runner/plan/key.h"

#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

Experiment MakeExperiment() {
  Experiment experiment;
  experiment.name = "z1";
  experiment.model.layers = 2;
  experiment.model.name = "small";
  experiment.data = {.kind = "text", .paths = {"/a"}};
  experiment.train.micro_batch = 16;
  experiment.topology.nodes = {"g0033"};
  experiment.topology.ranks_per_node = 2;
  experiment.env = {{"NCCL_DEBUG", "INFO"}};
  return experiment;
}

const Surroundings kHere = {.engine = R"({"sha256": "e"})",
                            .data = R"({"files": [1]})",
                            .software = R"({"gloo": "1"})",
                            .hardware = "x86"};

using Change = std::function<void(Experiment&)>;

std::string HashWith(const Change& change) {
  Experiment experiment = MakeExperiment();
  change(experiment);
  return MakeKey(experiment, kHere).hash;
}

TEST(KeyTest, IgnoresWhatDoesNotDecideTheResult) {
  const std::string hash = MakeKey(MakeExperiment(), kHere).hash;
  const std::vector<Change> changes = {
      [](Experiment& e) { e.name = "other"; },
      [](Experiment& e) { e.needs = {"smoke"}; },
      [](Experiment& e) { e.topology.master_port = 6000; },
      [](Experiment& e) { e.topology.nodes = {"g0034"}; },
      [](Experiment& e) {
        e.topology.reach = {"ssh", "{host}"};
      },
      [](Experiment& e) { e.data.paths = {"/b"}; },
      [](Experiment& e) { e.checkpoint.dir = "/tmp"; },
      [](Experiment& e) { e.limits.total_s = 1; },
      [](Experiment& e) { e.expect.max_step_cv = 1; },
      [](Experiment& e) { e.repeats = 3; },
      [](Experiment& e) { e.model.name = "else"; }};
  for (size_t i = 0; i < changes.size(); ++i) {
    EXPECT_EQ(HashWith(changes[i]), hash) << i;
  }
}

TEST(KeyTest, ChangesWithWhatDecidesTheResult) {
  const std::string hash = MakeKey(MakeExperiment(), kHere).hash;
  const std::vector<Change> changes = {
      [](Experiment& e) { e.train.zero_stage = 2; },
      [](Experiment& e) { e.train.seed = 7; },
      [](Experiment& e) { e.model.hidden = 8; },
      [](Experiment& e) { e.topology.ranks_per_node = 1; },
      [](Experiment& e) { e.topology.nodes.push_back("g0034"); },
      [](Experiment& e) { e.env["NCCL_DEBUG"] = "WARN"; },
      [](Experiment& e) { e.env["NEW"] = ""; },
      [](Experiment& e) { e.login_shell = true; },
      [](Experiment& e) { e.ulimits.core_bytes = 0; },
      [](Experiment& e) { e.device = "cuda"; },
      [](Experiment& e) { e.threads_per_rank = 1; },
      [](Experiment& e) { e.checkpoint.save_every = 1; },
      [](Experiment& e) { e.backend = Backend::kMegatron; }};
  for (size_t i = 0; i < changes.size(); ++i) {
    EXPECT_NE(HashWith(changes[i]), hash) << i;
  }
  for (std::string Surroundings::*part :
       {&Surroundings::engine, &Surroundings::data, &Surroundings::software,
        &Surroundings::hardware, &Surroundings::inherited, &Surroundings::files,
        &Surroundings::unknown}) {
    Surroundings other = kHere;
    other.*part = "changed";
    EXPECT_NE(MakeKey(MakeExperiment(), other).hash, hash);
  }
}

TEST(KeyTest, WhatMakesTheFiguresOfACommandIsInItsKey) {
  Experiment experiment = MakeExperiment();
  experiment.backend = Backend::kCommand;
  experiment.command.emplace().argv = {"train"};
  const std::string hash = MakeKey(experiment, kHere).hash;
  for (std::string CommandSpec::*field :
       {&CommandSpec::cwd, &CommandSpec::step_pattern,
        &CommandSpec::step_ms_pattern, &CommandSpec::tokens_pattern,
        &CommandSpec::loss_pattern}) {
    Experiment other = experiment;
    (*other.command).*field = "(x)";
    EXPECT_NE(MakeKey(other, kHere).hash, hash);
  }
}

TEST(KeyTest, PartsThatComeLaterCompleteIt) {
  Key key = MakeKey(MakeExperiment(), {.engine = "e"});
  const std::string asked = key.hash;
  AddParts({.software = "s", .hardware = "h"}, key);
  EXPECT_NE(key.hash, asked);
  EXPECT_EQ(key.hash, MakeKey(MakeExperiment(),
                              {.engine = "e", .software = "s", .hardware = "h"})
                          .hash);
}

TEST(KeyTest, SpellingOfTheSurroundingsDoesNotMatter) {
  Surroundings other = kHere;
  other.software = "{ \"gloo\" :  \"1\" }";
  EXPECT_EQ(MakeKey(MakeExperiment(), other).hash,
            MakeKey(MakeExperiment(), kHere).hash);
}

TEST(KeyTest, HashIsThatOfLengthPrefixedParts) {
  // printf '1:a=3:"x"' | sha256sum
  EXPECT_EQ(HashOfParts({{"a", "\"x\""}}),
            "5d455144029a3764eff87b4ef1d720dd42abe65adc96ddafc56f39fc5203fe85");
}

TEST(KeyTest, SecretsAreNotInTheParts) {
  Experiment experiment = MakeExperiment();
  experiment.env["HF_TOKEN"] = "canary";
  const Key key = MakeKey(experiment, kHere);
  for (const auto& [name, text] : key.parts) {
    EXPECT_EQ(text.find("canary"), std::string::npos) << name;
  }
  experiment.env["HF_TOKEN"] = "another";
  EXPECT_NE(MakeKey(experiment, kHere).hash, key.hash);
}

TEST(ExplainTest, NamesEachValueThatDiffers) {
  Experiment changed = MakeExperiment();
  changed.train.micro_batch = 8;
  changed.env = {{"NCCL_IB_HCA", "mlx5_0"}};
  Surroundings there = kHere;
  there.hardware = "";
  std::vector<std::string> lines;
  for (const Difference& difference :
       Explain(MakeKey(MakeExperiment(), kHere).parts,
               MakeKey(changed, there).parts)) {
    lines.push_back(ToString(difference));
  }
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "environment.NCCL_DEBUG: \"INFO\" -> (none)",
                       "environment.NCCL_IB_HCA: (none) -> \"mlx5_0\"",
                       "hardware: \"x86\" -> (none)",
                       "specification.train.micro_batch: 16 -> 8"}));
}

TEST(ExplainTest, WhatIsNotKnownYetIsNoDifference) {
  const std::map<std::string, std::string> before = {{"data", "1"},
                                                     {"software", "\"13.0\""}};
  EXPECT_TRUE(ExplainKnown(before, {{"data", "1"}}).empty());
  const auto differences = ExplainKnown(before, {{"data", "2"}});
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0].path, "data");
}

TEST(ExplainTest, EqualKeysDifferInNothing) {
  const Key key = MakeKey(MakeExperiment(), kHere);
  EXPECT_TRUE(Explain(key.parts, key.parts).empty());
  EXPECT_TRUE(Explain({}, {}).empty());
}

}  // namespace
}  // namespace zs
