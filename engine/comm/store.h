// The rendezvous: a key-value store over TCP that rank 0 serves. Keys are set
// once and read by all.
#ifndef ENGINE_COMM_STORE_H_
#define ENGINE_COMM_STORE_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/status.h"
#include "engine/comm/socket.h"

namespace zs {

// A connection to the store. Thread-safe: one request at a time, so that a
// waiting Get holds up the others.
class Store {
 public:
  // Connects, waiting for the server to come up. TOKEN must be the server's.
  // kDeadlineExceeded where nobody answers, kPermissionDenied for another
  // token or a server that is not ours.
  static Result<std::unique_ptr<Store>> Connect(const std::string& host,
                                                int port,
                                                std::string_view token,
                                                Deadline deadline);

  // kAlreadyExists where KEY has another value; the store is unchanged.
  Status Set(std::string_view key, std::string_view value, Deadline deadline);

  // Waits until KEY is set. kDeadlineExceeded names the key.
  Result<std::string> Get(std::string_view key, Deadline deadline);

  // The value of KEY, or nullopt where it is not set now.
  Result<std::optional<std::string>> TryGet(std::string_view key,
                                            Deadline deadline);

 private:
  struct Reply {
    char status;
    std::string value;
  };

  Store(std::string host, int port, std::string_view token)
      : host_(std::move(host)), port_(port), token_(token) {}
  Status Open(Deadline deadline);
  Result<Reply> Ask(char op, std::string_view key, std::string_view value,
                    Deadline deadline);
  Result<Reply> AskOnce(const std::string& request, Deadline deadline);

  const std::string host_;
  const int port_;
  const std::string token_;
  std::mutex mutex_;
  Descriptor fd_;  // a broken connection is closed and opened anew
};

// Serves a store from a thread of its own until it is destroyed. A connection
// that does not begin as it should, presents another token or breaks a limit
// (key 4 KiB, value 1 MiB, 256 MiB in all) is closed; the others go on.
class StoreServer {
 public:
  // Serves at PORT (0: a free one). An empty TOKEN lets everybody in.
  // kAlreadyExists where the port is taken.
  static Result<std::unique_ptr<StoreServer>> Start(int port,
                                                    std::string_view token);
  ~StoreServer();

  int port() const;

 private:
  class Loop;
  explicit StoreServer(std::unique_ptr<Loop> loop);
  std::unique_ptr<Loop> loop_;
};

}  // namespace zs

#endif  // ENGINE_COMM_STORE_H_
