#include "runner/agent/session.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

// A session of this process, which goes with the test.
class SessionTest : public ::testing::Test {
 protected:
  SessionTest() {
    char id[33];
    std::snprintf(id, sizeof id, "%032x", static_cast<unsigned>(::getpid()));
    id_ = id;
  }
  ~SessionTest() override { RemoveSession(id_); }

  void MakeOld() {
    const std::filesystem::path record = "/tmp/zerosweep-" +
                                         std::to_string(::geteuid()) +
                                         "/sessions/" + id_ + "/record";
    std::filesystem::last_write_time(
        record,
        std::filesystem::last_write_time(record) - std::chrono::hours(30 * 24));
  }

  std::string id_;
};

// A run of more than a week could not be reached again after another run on its
// node.
TEST_F(SessionTest, OldSessionWhoseAgentLivesIsKept) {
  const auto listener = ListenAtSession(id_);
  ASSERT_OK(listener);
  std::optional<SessionRecord> record(id_);
  record->Started("token", 0, 1);
  MakeOld();
  RemoveOldSessions();
  EXPECT_OK(ConnectToSession(id_));
  record.reset();
  RemoveOldSessions();
  EXPECT_STATUS(ConnectToSession(id_), StatusCode::kUnavailable, id_);
}

}  // namespace
}  // namespace zs
