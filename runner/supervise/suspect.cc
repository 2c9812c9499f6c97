#include "runner/supervise/suspect.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace zs {
namespace {

using Ranks = std::map<int, SeenRank>;

constexpr std::string_view kStopped = "Tt";

const SeenProcess* FirstIn(const SeenRank& seen, std::string_view states) {
  const auto found = std::find_if(
      seen.processes.begin(), seen.processes.end(), [&](const auto& process) {
        return states.find(process.state) != std::string_view::npos;
      });
  return found == seen.processes.end() ? nullptr : &*found;
}

// The first rank with a process in one of STATES.
std::optional<Suspect> InState(const Ranks& ranks, std::string_view states,
                               const std::string& what) {
  for (const auto& [rank, seen] : ranks) {
    if (const SeenProcess* process = FirstIn(seen, states)) {
      return Suspect{rank, what + " (state " + process->state + ", process " +
                               std::to_string(process->pid) + ")"};
    }
  }
  return std::nullopt;
}

// The one rank of which HOLDS is true where it is not of any other.
template <typename Predicate>
std::optional<int> OnlyOne(const Ranks& ranks, Predicate holds) {
  std::optional<int> one;
  for (const auto& [rank, seen] : ranks) {
    if (holds(seen)) {
      if (one) {
        return std::nullopt;
      }
      one = rank;
    }
  }
  return one;
}

std::optional<Suspect> Behind(const Ranks& ranks) {
  std::optional<std::pair<int64_t, int>> least;  // issued, rank
  int64_t most = 0;
  for (const auto& [rank, seen] : ranks) {
    if (seen.collective) {
      const std::pair at(seen.collective->issued, rank);
      least = least ? std::min(*least, at) : at;
      most = std::max(most, at.first);
    }
  }
  if (!least || least->first == most) {
    return std::nullopt;
  }
  return Suspect{least->second, "has issued " + std::to_string(least->first) +
                                    " collective operations where others "
                                    "have issued " +
                                    std::to_string(most)};
}

}  // namespace

std::vector<SeenProcess> ParseEvidence(std::string_view text) {
  std::vector<SeenProcess> processes;
  std::istringstream lines{std::string(text)};
  std::string line;
  while (std::getline(lines, line) && line.starts_with("process ")) {
    std::istringstream words(line);
    std::string skipped;
    SeenProcess process;
    int threads = 0;
    if (words >> skipped >> process.pid >> process.rank >> process.state >>
        threads >> process.wchan) {
      std::getline(words >> std::ws, process.name);
      processes.push_back(std::move(process));
    }
  }
  return processes;
}

std::optional<Suspect> FindSuspect(const Ranks& ranks, bool asked) {
  if (auto stopped = InState(ranks, kStopped, "is stopped")) {
    return stopped;
  }
  if (auto waits = InState(ranks, "D", "waits in the kernel")) {
    return waits;
  }
  if (!asked || ranks.size() < 2) {
    return std::nullopt;
  }
  if (auto suspect = Behind(ranks)) {
    return suspect;
  }
  const auto silent = OnlyOne(
      ranks, [](const SeenRank& seen) { return !seen.collective.has_value(); });
  if (silent) {
    return Suspect{*silent, "did not say where it is when all others did"};
  }
  const auto busy = OnlyOne(ranks, [](const SeenRank& seen) {
    return seen.collective.has_value() && !seen.collective->waiting;
  });
  if (busy) {
    return Suspect{*busy, "is not in the operation in which the others wait"};
  }
  return std::nullopt;
}

bool AnswersAreDue(const Ranks& ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [](const auto& entry) {
    return !entry.second.collective &&
           FirstIn(entry.second, kStopped) == nullptr;
  });
}

std::string Describe(const std::optional<CollectiveState>& state) {
  if (!state) {
    return "";
  }
  if (state->seq == 0) {
    return "has issued no collective operation";
  }
  return (state->waiting ? "waits in " : "has issued ") + state->op + " " +
         std::to_string(state->seq) + " (" + std::to_string(state->bytes) +
         " bytes) " + (state->waiting ? "for " : "and went on, since ") +
         std::to_string(std::llround(state->elapsed_ms / 1000)) + " s";
}

}  // namespace zs
