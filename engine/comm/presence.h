// Which rank's process is gone, for communicators whose library does not tell.
#ifndef ENGINE_COMM_PRESENCE_H_
#define ENGINE_COMM_PRESENCE_H_

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"
#include "engine/comm/rendezvous.h"
#include "engine/comm/socket.h"

namespace zs {

// An idle TCP connection between rank 0 and each other rank. A process that
// ends, however it does, closes its connection; a host that is gone is noticed
// by keep-alive probes within 20 s. Rank 0 tells the others whom it lost. Not
// thread-safe.
class Presence {
 public:
  // Every rank of RENDEZVOUS calls it. kDeadlineExceeded where one does not.
  static Result<std::unique_ptr<Presence>> Join(Rendezvous& rendezvous,
                                                Deadline deadline);

  // The first rank that was seen to be gone. Does not wait.
  std::optional<int> Lost();

 private:
  explicit Presence(int rank) : rank_(rank) {}
  Status Serve(Rendezvous& rendezvous, Deadline deadline);
  Status Accept(const Descriptor& listener, std::string_view secret,
                Deadline deadline);
  Status Connect(Rendezvous& rendezvous, Deadline deadline);
  void Look(int peer);
  void Tell();

  const int rank_;
  std::vector<Descriptor> peers_;  // by rank; none to itself, one on rank k > 0
  std::optional<int> lost_;
};

}  // namespace zs

#endif  // ENGINE_COMM_PRESENCE_H_
