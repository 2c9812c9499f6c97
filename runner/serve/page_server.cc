#include "runner/serve/page_server.h"

#include <arpa/inet.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "base/hash.h"

namespace zs {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::chrono::seconds kFresh(1);
constexpr int kMostHeaderBytes = 16 << 10;
constexpr int kPatienceS = 30;  // with who does not speak

constexpr std::array<std::pair<const char*, const char*>, 4> kHeaders = {
    {{"Cache-Control", "no-store"},
     {"Referrer-Policy", "no-referrer"},
     {"X-Content-Type-Options", "nosniff"},
     {"X-Frame-Options", "DENY"}}};

struct Free {
  void operator()(event_base* base) const { ::event_base_free(base); }
  void operator()(evhttp* http) const { ::evhttp_free(http); }
  void operator()(event* one) const { ::event_free(one); }
  void operator()(evbuffer* buffer) const { ::evbuffer_free(buffer); }
};

std::string InUrl(const std::string& address) {
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

// The port at which FD listens; 0 where it cannot be told.
int PortOf(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return 0;
  }
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                   : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

}  // namespace

struct PageServer::State {
  PageServerOptions options;
  std::function<std::string()> make;
  std::unique_ptr<event_base, Free> base;
  std::unique_ptr<evhttp, Free> http;  // before its base is gone
  int port = 0;
  std::string page;
  std::string tag;
  SteadyTime made;

  // Makes the page where it is not that of a moment ago.
  void Refresh() {
    const SteadyTime now = std::chrono::steady_clock::now();
    if (tag.empty() || now - made > kFresh) {
      page = make();
      tag = '"' + Sha256Hex(page).substr(0, 32) + '"';
      made = now;
    }
  }

  void Answer(evhttp_request* request) {
    const evhttp_uri* const uri = ::evhttp_request_get_evhttp_uri(request);
    const char* const path =
        uri == nullptr ? nullptr : ::evhttp_uri_get_path(uri);
    const evhttp_cmd_type command = ::evhttp_request_get_command(request);
    if (path == nullptr || path != "/" + options.token + "/" ||
        (command != EVHTTP_REQ_GET && command != EVHTTP_REQ_HEAD)) {
      ::evhttp_send_error(request, HTTP_NOTFOUND, nullptr);
      return;
    }
    Refresh();
    evkeyvalq* const headers = ::evhttp_request_get_output_headers(request);
    for (const auto& [name, value] : kHeaders) {
      ::evhttp_add_header(headers, name, value);
    }
    ::evhttp_add_header(headers, "ETag", tag.c_str());
    const char* const known = ::evhttp_find_header(
        ::evhttp_request_get_input_headers(request), "If-None-Match");
    if (known != nullptr && known == tag) {
      ::evhttp_send_reply(request, HTTP_NOTMODIFIED, "Not Modified", nullptr);
      return;
    }
    ::evhttp_add_header(headers, "Content-Type", "text/html; charset=utf-8");
    ::evhttp_add_header(headers, "Content-Length",
                        std::to_string(page.size()).c_str());
    const std::unique_ptr<evbuffer, Free> body(::evbuffer_new());
    if (command == EVHTTP_REQ_GET) {
      ::evbuffer_add(body.get(), page.data(), page.size());
    }
    ::evhttp_send_reply(request, HTTP_OK, "OK", body.get());
  }
};

PageServer::PageServer(PageServerOptions options,
                       std::function<std::string()> make)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.options = std::move(options);
  s.make = std::move(make);
  ::event_set_log_callback([](int /*severity*/, const char* /*text*/) {});
  s.base.reset(::event_base_new());
  s.http.reset(::evhttp_new(s.base.get()));
  ::evhttp_set_max_headers_size(s.http.get(), kMostHeaderBytes);
  ::evhttp_set_max_body_size(s.http.get(), 0);  // nobody has anything to send
  ::evhttp_set_timeout(s.http.get(), kPatienceS);
  ::evhttp_set_gencb(
      s.http.get(),
      [](evhttp_request* request, void* state) {
        static_cast<State*>(state)->Answer(request);
      },
      &s);
}

PageServer::~PageServer() = default;

Status PageServer::Bind() {
  State& s = *state_;
  const PageServerOptions& o = s.options;
  evhttp_bound_socket* const bound = ::evhttp_bind_socket_with_handle(
      s.http.get(), o.address.c_str(), static_cast<uint16_t>(o.port));
  s.port = bound == nullptr ? 0 : PortOf(::evhttp_bound_socket_get_fd(bound));
  if (s.port == 0) {
    return UnavailableError("cannot listen at " + o.address + " port " +
                            (o.port == 0 ? "(any)" : std::to_string(o.port)) +
                            ": is it taken, or not an address of this host? "
                            "See --listen and --port");
  }
  return OkStatus();
}

std::string PageServer::url() const {
  return "http://" + InUrl(state_->options.address) + ":" +
         std::to_string(state_->port) + "/" + state_->options.token + "/";
}

void PageServer::Run(int stop_fd) {
  event_base* const base = state_->base.get();
  const std::unique_ptr<event, Free> stop(::event_new(
      base, stop_fd, EV_READ,
      [](evutil_socket_t /*fd*/, short /*what*/, void* to_stop) {
        ::event_base_loopbreak(static_cast<event_base*>(to_stop));
      },
      base));
  ::event_add(stop.get(), nullptr);
  ::event_base_dispatch(base);
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
