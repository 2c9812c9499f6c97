#include "runner/serve/page_server.h"

#include <httplib.h>

#include <thread>

#include "base/status_matchers.h"
#include "gtest/gtest.h"

namespace zs {
namespace {

class PageServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(server_.Bind());
    thread_ = std::thread([this] { server_.Run(); });
    const std::string url = server_.url();
    port_ = std::stoi(url.substr(url.rfind(':') + 1));
    client_ = std::make_unique<httplib::Client>("127.0.0.1", port_);
  }
  void TearDown() override {
    // Stop is only heard once the server listens.
    client_->Get("/");
    server_.Stop();
    thread_.join();
  }

  std::string page_ = "<p>hello</p>";
  PageServer server_{{.token = "secret"}, [this] { return page_; }};
  std::thread thread_;
  int port_ = 0;
  std::unique_ptr<httplib::Client> client_;
};

TEST_F(PageServerTest, GivesThePageToWhoKnowsTheToken) {
  const auto answer = client_->Get("/secret/");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "<p>hello</p>");
  EXPECT_EQ(answer->get_header_value("Cache-Control"), "no-store");
  EXPECT_FALSE(answer->get_header_value("ETag").empty());
}

TEST_F(PageServerTest, GivesNothingToOthers) {
  for (const char* path :
       {"/", "/wrong/", "/secret", "/secret/x", "/../secret/", "//secret/"}) {
    const auto answer = client_->Get(path);
    ASSERT_TRUE(answer) << path;
    EXPECT_EQ(answer->status, 404) << path;
  }
}

TEST_F(PageServerTest, TakesNothing) {
  for (const auto& answer :
       {client_->Post("/secret/"), client_->Put("/secret/"),
        client_->Delete("/secret/")}) {
    ASSERT_TRUE(answer);
    EXPECT_GE(answer->status, 400);
  }
}

TEST_F(PageServerTest, HeadTellsTheTagAlone) {
  const auto head = client_->Head("/secret/");
  ASSERT_TRUE(head);
  EXPECT_TRUE(head->body.empty());
  const auto again = client_->Get(
      "/secret/", {{"If-None-Match", head->get_header_value("ETag")}});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->status, 304);
}

TEST(RandomTokenTest, IsLongAndNeverTheSame) {
  const auto a = RandomToken();
  const auto b = RandomToken();
  ASSERT_OK(a);
  ASSERT_OK(b);
  EXPECT_EQ(a->size(), 32u);
  EXPECT_NE(*a, *b);
}

TEST(PageServerBindTest, APortThatIsTakenIsSaid) {
  PageServer first({.token = "a"}, [] { return ""; });
  ASSERT_OK(first.Bind());
  PageServer second({.address = "203.0.113.1", .port = 9, .token = "b"},
                    [] { return ""; });
  EXPECT_EQ(second.Bind().code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace zs
