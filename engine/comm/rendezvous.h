// How the ranks of a run find each other.
#ifndef ENGINE_COMM_RENDEZVOUS_H_
#define ENGINE_COMM_RENDEZVOUS_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "engine/comm/rank_environment.h"
#include "engine/comm/store.h"

namespace zs {

// A rank's place in the rendezvous: its connection to the store, and on rank 0
// the store itself. Thread-safe. Lives as long as the communicator made on it.
class Rendezvous {
 public:
  // Joins the others at env.master_addr:master_port, where rank 0 serves.
  // Returns when all ranks are there. FINGERPRINT (of the configuration and the
  // program) must be equal on all ranks. kAlreadyExists: rank 0's port is
  // taken, or two processes claim one rank; kDeadlineExceeded names the ranks
  // that did not come; kFailedPrecondition names a rank that differs.
  static Result<std::unique_ptr<Rendezvous>> Join(const RankEnvironment& env,
                                                  std::string_view fingerprint,
                                                  double timeout_s);

  Store& store() { return *store_; }
  const RankEnvironment& env() const { return env_; }

  // Leaves word for the others of why this rank is about to end; best effort.
  void LeaveWord(std::string_view cause);

  // The word that RANK left, if it left one and rank 0, which keeps them, tells
  // so by DEADLINE.
  std::optional<std::string> WordOf(int rank, Deadline deadline);
  std::optional<std::string> WordOf(int rank);

 private:
  explicit Rendezvous(const RankEnvironment& env) : env_(env) {}
  Status Meet(std::string_view fingerprint, Deadline deadline);
  Status Missing();

  const RankEnvironment env_;
  std::unique_ptr<StoreServer> server_;  // rank 0 alone
  std::unique_ptr<Store> store_;
};

}  // namespace zs

#endif  // ENGINE_COMM_RENDEZVOUS_H_
