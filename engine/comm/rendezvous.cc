#include "engine/comm/rendezvous.h"

#include <unistd.h>

#include <array>
#include <vector>

namespace zs {
namespace {

constexpr double kWordTimeoutS = 1;
constexpr double kLeaveWordS = 0.3;

std::string HostName() {
  std::array<char, 256> name = {};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string RankKey(int rank) {
  return "rank/" + std::to_string(rank);
}
std::string WordKey(int rank) {
  return "word/" + std::to_string(rank);
}

// The ranks in RANKS as text: "1, 2, 5".
std::string Listed(const std::vector<int>& ranks) {
  constexpr size_t kShown = 16;
  std::string text;
  for (size_t i = 0; i < ranks.size() && i < kShown; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  }
  return ranks.size() > kShown ? text + ", ..." : text;
}

}  // namespace

Result<std::unique_ptr<Rendezvous>> Rendezvous::Join(
    const RankEnvironment& env, std::string_view fingerprint,
    double timeout_s) {
  const Deadline deadline = DeadlineIn(timeout_s);
  std::unique_ptr<Rendezvous> result(new Rendezvous(env));
  if (env.rank == 0) {
    Result<std::unique_ptr<StoreServer>> server =
        StoreServer::Start(env.master_port, env.token);
    if (!server.ok()) {
      return server.status().WithContext(
          "rank 0 cannot serve the rendezvous (choose another MASTER_PORT)");
    }
    result->server_ = std::move(server).value();
  }
  // By number: a host need not know the name localhost.
  const std::string host = env.rank == 0 ? "127.0.0.1" : env.master_addr;
  ASSIGN_OR_RETURN(result->store_,
                   Store::Connect(host, env.master_port, env.token, deadline));
  RETURN_IF_ERROR(result->Meet(fingerprint, deadline));
  return result;
}

Status Rendezvous::Meet(std::string_view fingerprint, Deadline deadline) {
  // The first line must be equal on all; the second is for people.
  const std::string mine = std::to_string(env_.world_size) + " " +
                           std::string(fingerprint) + "\n" + HostName() +
                           " pid " + std::to_string(::getpid());
  const Status set = store_->Set(RankKey(env_.rank), mine, deadline);
  if (set.code() == StatusCode::kAlreadyExists) {
    return AlreadyExistsError("another process is rank " +
                              std::to_string(env_.rank) +
                              " of this run already; each process needs its "
                              "own RANK");
  }
  RETURN_IF_ERROR(set);
  for (int rank = 0; rank < env_.world_size; ++rank) {
    const Result<std::string> other = store_->Get(RankKey(rank), deadline);
    if (other.status().code() == StatusCode::kDeadlineExceeded) {
      return Missing();
    }
    RETURN_IF_ERROR(other);
    const size_t line = other->find('\n');
    if (other->substr(0, line) != mine.substr(0, mine.find('\n'))) {
      return FailedPreconditionError(
          "rank " + std::to_string(rank) + " (" + other->substr(line + 1) +
          ") has another configuration, program or WORLD_SIZE than rank " +
          std::to_string(env_.rank));
    }
  }
  return OkStatus();
}

// The error that names the ranks that have not come.
Status Rendezvous::Missing() {
  const Deadline grace = DeadlineIn(kWordTimeoutS);
  std::vector<int> missing;
  for (int rank = 0; rank < env_.world_size; ++rank) {
    const auto found = store_->TryGet(RankKey(rank), grace);
    if (!found.ok() || !found->has_value()) {
      missing.push_back(rank);
    }
  }
  return DeadlineExceededError(
      "rank " + Listed(missing) + " of " + std::to_string(env_.world_size) +
      " did not join at " + env_.master_addr + ":" +
      std::to_string(env_.master_port) +
      " in time; see that each was started, with this address");
}

void Rendezvous::LeaveWord(std::string_view cause) {
  // Whether it arrives or not, this rank ends.
  (void)store_->Set(WordKey(env_.rank), cause, DeadlineIn(kLeaveWordS));
}

std::optional<std::string> Rendezvous::WordOf(int rank, Deadline deadline) {
  const auto word = store_->TryGet(WordKey(rank), deadline);
  return word.ok() ? *word : std::nullopt;
}

std::optional<std::string> Rendezvous::WordOf(int rank) {
  return WordOf(rank, DeadlineIn(kWordTimeoutS));
}

}  // namespace zs
