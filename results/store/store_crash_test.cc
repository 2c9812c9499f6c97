// The store against what kills it: SIGKILL, a full disk, a file that may not
// be written.
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <random>

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/store/store.h"

namespace zs::results {
namespace {

class StoreCrashTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/crash" + std::to_string(::getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    path_ = folder_ + "/x.db";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_;
  std::string path_;
};

Result<int64_t> BeginOneRun(Store& store) {
  SweepStart sweep;
  sweep.name = "s";
  ASSIGN_OR_RETURN(const int64_t sweep_id, store.BeginSweep(sweep));
  Experiment experiment;
  experiment.name = "z0";
  experiment.key = "k";
  ASSIGN_OR_RETURN(const std::vector<int64_t> ids,
                   store.AddExperiments(sweep_id, {experiment}));
  RunStart run;
  run.experiment_id = ids[0];
  return store.BeginRun(run);
}

StepRow Step(int64_t number) {
  StepRow step;
  step.step = number;
  step.step_ms = static_cast<double>(number);
  step.comm = {{"all_reduce", 1, 100 * number, 0.5}};
  return step;
}

// Writes steps in batches of two for ever, and each acknowledged one's number
// to FD.
void WriteForEver(const std::string& path, int fd) {
  auto store = Store::Open({path, 0});
  if (!store.ok()) {
    ::_exit(1);
  }
  const auto run = BeginOneRun(**store);
  for (int64_t step = 1; run.ok(); step += 2) {
    if (!(*store)->AppendSteps(*run, {Step(step), Step(step + 1)}).ok()) {
      ::_exit(2);
    }
    const int64_t last = step + 1;
    (void)!::write(fd, &last, sizeof(last));
  }
  ::_exit(3);
}

// "ok" where the file is whole.
std::string IntegrityOf(const std::string& path) {
  sqlite3* db = nullptr;
  std::string answer;
  if (sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READONLY, nullptr) ==
      SQLITE_OK) {
    sqlite3_exec(
        db, "PRAGMA integrity_check",
        [](void* out, int, char** values, char**) {
          *static_cast<std::string*>(out) += values[0];
          return 0;
        },
        &answer, nullptr);
  }
  sqlite3_close(db);
  return answer;
}

TEST_F(StoreCrashTest, AcknowledgedStepsSurviveKill) {
  std::mt19937 random(7);
  for (int round = 0; round < 12; ++round) {
    SCOPED_TRACE(round);
    int fds[2];
    ASSERT_EQ(::pipe2(fds, O_CLOEXEC), 0);
    const pid_t writer = ::fork();
    if (writer == 0) {
      WriteForEver(path_, fds[1]);
    }
    ::close(fds[1]);
    int64_t acknowledged = 0;
    const unsigned batches = 1 + random() % 40;
    for (unsigned i = 0; i < batches; ++i) {
      ASSERT_EQ(::read(fds[0], &acknowledged, sizeof(acknowledged)), 8);
    }
    ::kill(writer, SIGKILL);
    while (::read(fds[0], &acknowledged, sizeof(acknowledged)) == 8) {
    }
    ::close(fds[0]);
    ::waitpid(writer, nullptr, 0);

    EXPECT_EQ(IntegrityOf(path_), "ok");
    auto store = Store::Open({path_, 0});
    ASSERT_OK(store);
    const auto lost = (*store)->Recover(1);
    ASSERT_OK(lost);
    ASSERT_EQ(lost->size(), 1u);
    const auto steps = (*store)->reader().Steps(lost->front().id, {});
    ASSERT_OK(steps);
    ASSERT_GE(static_cast<int64_t>(steps->size()), acknowledged);
    EXPECT_EQ(steps->size() % 2, 0u);  // batches are whole
    for (size_t i = 0; i < steps->size(); ++i) {
      EXPECT_EQ((*steps)[i].step, static_cast<int64_t>(i) + 1);
    }
    const auto comm = (*store)->reader().Communication(lost->front().id, {});
    ASSERT_OK(comm);
    EXPECT_EQ(comm->front().steps, static_cast<int64_t>(steps->size()));
  }
}

// Runs BODY in a child; it returns "" or what went wrong, "skip" where the
// machine cannot show it.
std::string InChild(const std::function<std::string()>& body) {
  int fds[2];
  if (::pipe(fds) != 0) {
    return "pipe";
  }
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string text = body();
    (void)!::write(fds[1], text.data(), text.size());
    ::_exit(0);
  }
  ::close(fds[1]);
  std::string answer;
  char block[4096];
  ssize_t size = 0;
  while ((size = ::read(fds[0], block, sizeof(block))) > 0) {
    answer.append(block, static_cast<size_t>(size));
  }
  ::close(fds[0]);
  ::waitpid(child, nullptr, 0);
  return answer;
}

TEST_F(StoreCrashTest, FullDiskLosesNothingAndGoesOnLater) {
  const std::string answer = InChild([&]() -> std::string {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=1m") != 0) {
      return "skip";
    }
    auto store = Store::Open({path_, 0});
    if (!store.ok()) {
      return store.status().ToString();
    }
    const auto run = BeginOneRun(**store);
    if (!run.ok()) {
      return run.status().ToString();
    }
    Status status;
    int64_t written = 0;
    while (status.ok() && written < 1'000'000) {
      status = (*store)->AppendSteps(*run, {Step(written + 1)});
      written += status.ok() ? 1 : 0;
    }
    if (status.code() != StatusCode::kResourceExhausted ||
        status.message().find(path_) == std::string::npos) {
      return status.ToString();
    }
    const auto steps = (*store)->reader().Steps(*run, {});
    if (!steps.ok() || static_cast<int64_t>(steps->size()) != written) {
      return "steps lost: " + steps.status().ToString();
    }
    if (::mount("tmpfs", folder_.c_str(), "tmpfs", MS_REMOUNT, "size=4m") !=
        0) {
      return "remount";
    }
    return (*store)->AppendSteps(*run, {Step(written + 1)}).message();
  });
  if (answer == "skip") {
    GTEST_SKIP() << "no mount namespace here";
  }
  EXPECT_EQ(answer, "");
}

// Root may write anything: gives up what makes it so.
bool BecomeOrdinary() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  return ::syscall(SYS_capset, &header, data) == 0;
}

TEST_F(StoreCrashTest, ReadOnlyFileIsRefusedAndStillReadable) {
  { ASSERT_OK(Store::Open({path_, 0})); }
  std::filesystem::permissions(path_, std::filesystem::perms::owner_read);
  std::filesystem::permissions(folder_, std::filesystem::perms::owner_read |
                                            std::filesystem::perms::owner_exec);
  const std::string answer = InChild([&]() -> std::string {
    if (!BecomeOrdinary()) {
      return "skip";
    }
    const auto store = Store::Open({path_, 0});
    const auto reader = Reader::Open(path_);
    return store.status().ToString() + "\n" + reader.status().ToString();
  });
  std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
  if (answer == "skip") {
    GTEST_SKIP() << "root's rights cannot be given up here";
  }
  EXPECT_NE(answer.find("PERMISSION_DENIED"), std::string::npos) << answer;
  EXPECT_NE(answer.find(path_), std::string::npos) << answer;
  EXPECT_TRUE(answer.ends_with("\nOK")) << answer;
}

}  // namespace
}  // namespace zs::results
