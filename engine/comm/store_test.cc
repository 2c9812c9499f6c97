#include "engine/comm/store.h"

#include <poll.h>
#include <sys/socket.h>

#include <string>
#include <thread>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto server = StoreServer::Start(0, "secret");
    ASSERT_OK(server);
    server_ = std::move(server).value();
  }

  Result<std::unique_ptr<Store>> Connect(std::string_view token = "secret") {
    return Store::Connect("localhost", server_->port(), token, DeadlineIn(5));
  }

  // Sends BYTES on a connection of its own and waits for the server to close
  // it.
  void SendGarbage(const std::string& bytes) {
    auto fd = ConnectTcp("localhost", server_->port(), DeadlineIn(5));
    ASSERT_OK(fd);
    (void)SendAll(fd->get(), bytes, DeadlineIn(5));
    ::shutdown(fd->get(), SHUT_WR);
    char byte = 0;
    EXPECT_STATUS(ReceiveAll(fd->get(), &byte, 1, DeadlineIn(5)),
                  StatusCode::kUnavailable, "");
  }

  std::unique_ptr<StoreServer> server_;
};

TEST_F(StoreTest, GetWaitsForAnothersSet) {
  auto reader = Connect();
  ASSERT_OK(reader);
  std::thread writer([this] {
    auto store = Connect();
    ASSERT_OK(store);
    EXPECT_OK((*store)->Set("key", std::string("va\0lue", 6), DeadlineIn(5)));
  });
  auto value = (*reader)->Get("key", DeadlineIn(5));
  writer.join();
  ASSERT_OK(value);
  EXPECT_EQ(*value, std::string("va\0lue", 6));
}

TEST_F(StoreTest, KeyIsSetOnce) {
  auto store = Connect();
  ASSERT_OK(store);
  EXPECT_OK((*store)->Set("key", "one", DeadlineIn(5)));
  EXPECT_STATUS((*store)->Set("key", "two", DeadlineIn(5)),
                StatusCode::kAlreadyExists, "key");
  EXPECT_EQ(*(*store)->Get("key", DeadlineIn(5)), "one");
}

TEST_F(StoreTest, GetEndsAtItsDeadlineAndTheStoreGoesOn) {
  auto store = Connect();
  ASSERT_OK(store);
  EXPECT_STATUS((*store)->Get("never", DeadlineIn(0.02)),
                StatusCode::kDeadlineExceeded, "never");
  auto unset = (*store)->TryGet("never", DeadlineIn(5));
  ASSERT_OK(unset);
  EXPECT_FALSE(unset->has_value());
}

TEST_F(StoreTest, RefusesAnotherToken) {
  EXPECT_STATUS(Connect("guess").status(), StatusCode::kPermissionDenied,
                "ZS_RENDEZVOUS_TOKEN");
  EXPECT_STATUS(Connect("").status(), StatusCode::kPermissionDenied,
                "ZS_RENDEZVOUS_TOKEN");
}

TEST_F(StoreTest, SurvivesGarbage) {
  const std::string hello = std::string("ZSTORE1\n\6\0\0\0secret", 18);
  SendGarbage("");
  SendGarbage("GET / HTTP/1.1\r\n\r\n");
  SendGarbage(std::string(100000, '\xff'));
  SendGarbage(std::string("ZSTORE1\n\xff\xff\xff\xff", 12));
  auto store = Connect();
  ASSERT_OK(store);
  EXPECT_OK((*store)->Set("key", "value", DeadlineIn(5)));
}

TEST_F(StoreTest, RefusesOversizedValue) {
  auto store = Connect();
  ASSERT_OK(store);
  EXPECT_STATUS((*store)->Set("key", std::string(2 << 20, 'x'), DeadlineIn(5)),
                StatusCode::kInvalidArgument, "too long");
}

TEST_F(StoreTest, NamesATakenPort) {
  EXPECT_STATUS(StoreServer::Start(server_->port(), "").status(),
                StatusCode::kAlreadyExists, std::to_string(server_->port()));
}

TEST(StoreConnectTest, NamesWhereNobodyAnswers) {
  // A port that was free a moment ago.
  auto listener = ListenTcp(0);
  ASSERT_OK(listener);
  const int port = *PortOf(listener->get());
  listener->Reset();
  EXPECT_STATUS(Store::Connect("localhost", port, "", DeadlineIn(0.1)).status(),
                StatusCode::kDeadlineExceeded, std::to_string(port));
}

// A name that is not in DNS yet may be before the deadline.
TEST(StoreConnectTest, AsksForANameUntilTheDeadline) {
  const Deadline asked_again_at = DeadlineIn(0.5);
  // "-" is no host name, which the resolver knows without asking anybody.
  EXPECT_STATUS(Store::Connect("-", 1, "", DeadlineIn(0.8)).status(),
                StatusCode::kInvalidArgument, "resolve -: ");
  EXPECT_EQ(MillisecondsUntil(asked_again_at), 0);
}

}  // namespace
}  // namespace zs
