#include "runner/sweep/inherited.h"

#include <cstdlib>
#include <map>
#include <string>

#include "gtest/gtest.h"

namespace zs {
namespace {

using Variables = std::map<std::string, std::string>;

TEST(InheritedVariablesTest, AreThoseThatTheExperimentDoesNotSet) {
  InheritedVariables inherited(
      Variables{{"OMP_NUM_THREADS", "4"}, {"NCCL_ALGO", "Ring"}});
  Experiment experiment;
  experiment.env = {{"NCCL_ALGO", "Tree"}};
  EXPECT_EQ(inherited.Of(experiment), (Variables{{"OMP_NUM_THREADS", "4"}}));
}

TEST(InheritedVariablesTest, WhereARunIsStartedFromIsNotAmongThem) {
  InheritedVariables inherited(Variables{{"SLURM_JOB_ID", "17"}});
  EXPECT_TRUE(inherited.Of(Experiment()).empty());
}

TEST(InheritedVariablesTest, RanksOnOtherHostsInheritNothingOfThisOne) {
  InheritedVariables inherited(Variables{{"OMP_NUM_THREADS", "4"}});
  Experiment experiment;
  experiment.topology.reach = {"ssh", "{host}"};
  EXPECT_TRUE(inherited.Of(experiment).empty());
}

TEST(InheritedVariablesTest, TheLoginShellIsAboveThisProcess) {
  // /bin/sh as a login shell reads $HOME/.profile.
  const std::string home = ::testing::TempDir() + "/inherited_home";
  ASSERT_EQ(std::system(("mkdir -p " + home +
                         " && echo 'export NCCL_ALGO=Tree "
                         "LOGNAME=x' > " +
                         home + "/.profile")
                            .c_str()),
            0);
  ::setenv("HOME", home.c_str(), 1);
  ::setenv("SHELL", "/bin/sh", 1);
  InheritedVariables inherited(Variables{{"NCCL_ALGO", "Ring"}});
  Experiment experiment;
  experiment.login_shell = true;
  EXPECT_EQ(inherited.Of(experiment).at("NCCL_ALGO"), "Tree");
  EXPECT_FALSE(inherited.Of(experiment).contains("LOGNAME"));
  experiment.login_shell = false;
  EXPECT_EQ(inherited.Of(experiment).at("NCCL_ALGO"), "Ring");
}

}  // namespace
}  // namespace zs
