#include "runner/sweep/plan_notes.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace zs {
namespace {

const HostNames kHost = {.interfaces = {"eth0", "lo"}, .hcas = {"mlx5_0"}};

bool Has(const std::vector<PlanNote>& notes, bool is_error,
         const std::string& field, const std::string& words) {
  return std::any_of(notes.begin(), notes.end(), [&](const PlanNote& note) {
    return note.is_error == is_error && note.field == field &&
           note.message.find(words) != std::string::npos;
  });
}

TEST(PlanNotesTest, AMisspeltNameIsNamedWithTheOneThatWasMeant) {
  Experiment experiment;
  experiment.env = {{"NCCL_SOCKET_IFNMAE", "eth0"}};
  EXPECT_TRUE(Has(NotesOn(experiment, kHost), false, "env.NCCL_SOCKET_IFNMAE",
                  "did you mean NCCL_SOCKET_IFNAME?"));
}

TEST(PlanNotesTest, AnInterfaceThatThisHostDoesNotHaveForbidsTheStart) {
  Experiment experiment;
  experiment.env = {{"NCCL_SOCKET_IFNAME", "bond0"}};
  EXPECT_TRUE(Has(NotesOn(experiment, kHost), true, "env.NCCL_SOCKET_IFNAME",
                  "present: eth0, lo"));
  // Of other hosts nothing is known yet.
  experiment.topology.reach = {"ssh", "{host}"};
  EXPECT_TRUE(NotesOn(experiment, kHost).empty());
}

TEST(PlanNotesTest, ContradictionsAreWarnings) {
  Experiment experiment;
  experiment.env = {{"NCCL_IB_DISABLE", "1"}, {"NCCL_IB_HCA", "mlx5_0"}};
  EXPECT_TRUE(Has(NotesOn(experiment, kHost), false, "env.NCCL_IB_HCA",
                  "turns them all off"));
}

TEST(PlanNotesTest, SrunThatKeepsAnswersBackIsRefused) {
  Experiment experiment;
  experiment.topology.reach = {"ssh", "login", "srun", "-w", "{host}"};
  EXPECT_TRUE(Has(NotesOn(experiment, kHost), true, "topology.reach",
                  "write 'srun', '--unbuffered'"));
  for (const char* word : {"-u", "--unbuffered"}) {
    experiment.topology.reach = {"srun", word, "-w", "{host}"};
    EXPECT_TRUE(NotesOn(experiment, kHost).empty()) << word;
  }
}

TEST(PlanNotesTest, NoteTextNamesExperimentAndField) {
  Experiment experiment;
  experiment.name = "z1";
  EXPECT_EQ(NoteText(experiment, {.field = "env.A", .message = "wrong"}),
            "experiment 'z1': env.A: wrong");
}

TEST(PlanNotesTest, WhatIsInheritedIsLookedAtToo) {
  Experiment experiment;
  experiment.topology.nodes = {"localhost"};
  EXPECT_TRUE(Has(NotesOn(experiment, kHost, {{"NCCL_SOCKET_IFNMAE", "eth0"}}),
                  false, "inherited NCCL_SOCKET_IFNMAE", "NCCL_SOCKET_IFNAME"));
}

}  // namespace
}  // namespace zs
