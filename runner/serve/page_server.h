// One page over HTTP, for those who know its address.
#ifndef RUNNER_SERVE_PAGE_SERVER_H_
#define RUNNER_SERVE_PAGE_SERVER_H_

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"

namespace zs {

struct PageServerOptions {
  std::string address = "127.0.0.1";
  int port = 0;       // 0: any that is free
  std::string token;  // the page lies at /TOKEN/ and nowhere else
};

// Answers GET and HEAD of its page and nothing else; writes nothing. The page
// is made anew at most once a second.
class PageServer {
 public:
  PageServer(PageServerOptions options, std::function<std::string()> make);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  // Takes the port. kUnavailable where it cannot be had.
  Status Bind();
  // "http://127.0.0.1:40123/TOKEN/"; after Bind.
  std::string url() const;
  // Serves until STOP_FD can be read or its other end is closed; after Bind.
  // MAKE is called meanwhile.
  void Run(int stop_fd);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// 128 random bits in hexadecimal digits.
Result<std::string> RandomToken();

}  // namespace zs

#endif  // RUNNER_SERVE_PAGE_SERVER_H_
