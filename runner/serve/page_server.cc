#include "runner/serve/page_server.h"

#include <httplib.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <utility>

#include "base/hash.h"

namespace zs {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::chrono::seconds kFresh(1);

std::string InUrl(const std::string& address) {
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

}  // namespace

struct PageServer::State {
  PageServerOptions options;
  std::function<std::string()> make;
  httplib::Server server;
  int port = 0;
  std::mutex mutex;
  std::string page;
  std::string tag;
  SteadyTime made;

  // The page and its tag, of now or of a moment ago.
  std::pair<std::string, std::string> Current() {
    const std::lock_guard lock(mutex);
    const SteadyTime now = std::chrono::steady_clock::now();
    if (tag.empty() || now - made > kFresh) {
      page = make();
      tag = '"' + Sha256Hex(page).substr(0, 32) + '"';
      made = now;
    }
    return {page, tag};
  }
};

PageServer::PageServer(PageServerOptions options,
                       std::function<std::string()> make)
    : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
  state_->make = std::move(make);
  httplib::Server& server = state_->server;
  server.set_default_headers({{"Cache-Control", "no-store"},
                              {"Referrer-Policy", "no-referrer"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"X-Frame-Options", "DENY"}});
  server.set_payload_max_length(0);  // nobody has anything to send
  server.Get(
      "/" + state_->options.token + "/",
      [this](const httplib::Request& request, httplib::Response& response) {
        const auto [page, tag] = state_->Current();
        response.set_header("ETag", tag);
        if (request.get_header_value("If-None-Match") == tag) {
          response.status = 304;
          return;
        }
        response.set_content(page, "text/html; charset=utf-8");
      });
}

PageServer::~PageServer() = default;

Status PageServer::Bind() {
  const PageServerOptions& o = state_->options;
  const bool any = o.port == 0;
  if (any) {
    state_->port = state_->server.bind_to_any_port(o.address.c_str());
  } else if (state_->server.bind_to_port(o.address.c_str(), o.port)) {
    state_->port = o.port;
  } else {
    state_->port = -1;
  }
  if (state_->port <= 0) {
    return UnavailableError("cannot listen at " + o.address + " port " +
                            (any ? "(any)" : std::to_string(o.port)) +
                            ": is it taken, or not an address of this host? "
                            "See --listen and --port");
  }
  return OkStatus();
}

std::string PageServer::url() const {
  return "http://" + InUrl(state_->options.address) + ":" +
         std::to_string(state_->port) + "/" + state_->options.token + "/";
}

void PageServer::Run() {
  state_->server.listen_after_bind();
}

void PageServer::Stop() {
  state_->server.stop();
}

Result<std::string> RandomToken() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) !=
      static_cast<ssize_t>(bytes.size())) {
    return ErrnoError(errno, "getrandom");
  }
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string token;
  for (const unsigned char byte : bytes) {
    token += kDigits[byte >> 4];
    token += kDigits[byte & 15];
  }
  return token;
}

}  // namespace zs
