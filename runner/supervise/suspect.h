// Which rank holds up the others? Pure functions over what was seen of them.
#ifndef RUNNER_SUPERVISE_SUSPECT_H_
#define RUNNER_SUPERVISE_SUSPECT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/supervise/observer.h"

namespace zs {

// A process of a run, seen from outside (runner/agent/evidence.h).
struct SeenProcess {
  int64_t pid = 0;
  int rank = -1;  // unknown
  char state = '?';
  std::string wchan;
  std::string name;
};

// The processes that the first lines of TEXT tell of; what follows is passed
// over.
std::vector<SeenProcess> ParseEvidence(std::string_view text);

// What is known of a rank that runs.
struct SeenRank {
  std::vector<SeenProcess> processes;
  std::optional<CollectiveState> collective;  // empty: it did not answer
};

struct Suspect {
  int rank = 0;
  std::string why;  // "is stopped (state T)"
};

// In this order: a rank that is stopped or waits in the kernel; one that has
// issued fewer collective operations than others; the one that alone did not
// answer; the one that alone does not wait in an operation. ASKED: the ranks
// were asked where they are. Empty: none stands out.
std::optional<Suspect> FindSuspect(const std::map<int, SeenRank>& ranks,
                                   bool asked);

// Whether more may be learned by waiting: a rank that runs has not yet said
// where it is. One that is stopped cannot.
bool AnswersAreDue(const std::map<int, SeenRank>& ranks);

// "waits in all_reduce 57 (4194304 bytes) for 12 s"; "" for nothing known.
std::string Describe(const std::optional<CollectiveState>& state);

}  // namespace zs

#endif  // RUNNER_SUPERVISE_SUSPECT_H_
