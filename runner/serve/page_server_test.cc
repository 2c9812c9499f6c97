#include "runner/serve/page_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "base/descriptor.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

struct Reply {
  int status = 0;
  std::string head;  // status line and headers
  std::string body;

  // The value of header NAME; empty: it is not there.
  std::string Header(const std::string& name) const {
    const size_t at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) {
      return "";
    }
    const size_t begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

// All that the server at PORT sends for BYTES until it closes.
std::string Exchange(int port, const std::string& bytes) {
  const Descriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
                      sizeof(address)),
            0);
  EXPECT_EQ(::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
  std::string all;
  char block[4096];
  for (ssize_t n = 0; (n = ::read(fd.get(), block, sizeof(block))) > 0;) {
    all.append(block, static_cast<size_t>(n));
  }
  return all;
}

class PageServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(server_.Bind());
    auto pipe = MakePipe();
    ASSERT_OK(pipe);
    pipe_ = *std::move(pipe);
    thread_ = std::thread([this] { server_.Run(pipe_.read.get()); });
    const std::string url = server_.url();
    port_ = std::stoi(url.substr(url.rfind(':') + 1));
  }
  void TearDown() override {
    pipe_.write.Reset();
    thread_.join();
  }

  Reply Ask(const std::string& method, const std::string& path,
            const std::string& headers = "") const {
    const std::string all =
        Exchange(port_, method + " " + path + " HTTP/1.1\r\nHost: x\r\n" +
                            headers + "Connection: close\r\n\r\n");
    const size_t end = all.find("\r\n\r\n");
    Reply reply;
    reply.head = all.substr(0, end);
    reply.body = end == std::string::npos ? "" : all.substr(end + 4);
    reply.status = all.size() > 9 ? std::atoi(all.c_str() + 9) : 0;
    return reply;
  }

  std::string page_ = "<p>hello</p>";
  PageServer server_{{.token = "secret"}, [this] { return page_; }};
  Pipe pipe_;
  std::thread thread_;
  int port_ = 0;
};

TEST_F(PageServerTest, GivesThePageToWhoKnowsTheToken) {
  for (const char* path : {"/secret/", "/secret/?again"}) {
    const Reply reply = Ask("GET", path);
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "<p>hello</p>");
    EXPECT_EQ(reply.Header("Content-Type"), "text/html; charset=utf-8");
    EXPECT_EQ(reply.Header("Cache-Control"), "no-store");
    EXPECT_FALSE(reply.Header("ETag").empty());
  }
}

TEST_F(PageServerTest, GivesNothingToOthers) {
  for (const char* path : {"/", "/wrong/", "/secret", "/secret/x",
                           "/../secret/", "//secret/", "/%73ecret/", "*"}) {
    const Reply reply = Ask("GET", path);
    EXPECT_GE(reply.status, 400) << path;
    EXPECT_LT(reply.status, 500) << path;
    EXPECT_EQ(reply.body.find("hello"), std::string::npos) << path;
  }
}

TEST_F(PageServerTest, TakesNothing) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "NONSENSE"}) {
    EXPECT_GE(Ask(method, "/secret/").status, 400) << method;
  }
  const Reply reply = Ask("POST", "/secret/", "Content-Length: 1000000000\r\n");
  EXPECT_GE(reply.status, 400);
}

TEST_F(PageServerTest, HeadTellsTheTagAlone) {
  const Reply head = Ask("HEAD", "/secret/");
  EXPECT_EQ(head.status, 200);
  EXPECT_TRUE(head.body.empty());
  EXPECT_EQ(head.Header("Content-Length"), std::to_string(page_.size()));
  const Reply again =
      Ask("GET", "/secret/", "If-None-Match: " + head.Header("ETag") + "\r\n");
  EXPECT_EQ(again.status, 304);
  EXPECT_TRUE(again.body.empty());
}

TEST_F(PageServerTest, OutlivesBytesThatAreNoRequest) {
  for (const std::string& bytes :
       {std::string("\x16\x03\x01\x02\0\x01\0\r\n\r\n", 11),
        std::string("GET\r\n\r\n"), std::string(100'000, 'a') + "\r\n\r\n",
        "GET /secret/ HTTP/1.1\r\nx: " + std::string(100'000, 'a') +
            "\r\n\r\n"}) {
    EXPECT_EQ(Exchange(port_, bytes).find("hello"), std::string::npos);
  }
  EXPECT_EQ(Ask("GET", "/secret/").status, 200);
}

TEST(RandomTokenTest, IsLongAndNeverTheSame) {
  const auto a = RandomToken();
  const auto b = RandomToken();
  ASSERT_OK(a);
  ASSERT_OK(b);
  EXPECT_EQ(a->size(), 32u);
  EXPECT_NE(*a, *b);
}

TEST(PageServerBindTest, APlaceThatCannotBeHadIsSaid) {
  PageServer first({.token = "a"}, [] { return ""; });
  ASSERT_OK(first.Bind());
  const std::string url = first.url();
  PageServer taken(
      {.port = std::stoi(url.substr(url.rfind(':') + 1)), .token = "b"},
      [] { return ""; });
  EXPECT_STATUS(taken.Bind(), StatusCode::kUnavailable, "--port");
  PageServer elsewhere({.address = "203.0.113.1", .port = 9, .token = "c"},
                       [] { return ""; });
  EXPECT_STATUS(elsewhere.Bind(), StatusCode::kUnavailable, "203.0.113.1");
}

}  // namespace
}  // namespace zs
