// Which of a run's ranks its steps are taken from, where several tell them.
#ifndef RUNNER_BACKEND_STEP_TELLERS_H_
#define RUNNER_BACKEND_STEP_TELLERS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "results/store/record.h"

namespace zs {

// A process of a run, and the rank below it where it is a launcher; -1: it does
// not say, or is a rank itself.
using StepTeller = std::pair<int, int>;

// Steps count in the order of their numbers, and all of them are of one rank:
// the lowest one that tells any. Not thread-safe.
class StepTellers {
 public:
  // What TELLER says of a step. True where that is a new row, the last one.
  // One that repeats a number fills in what is not known of that step.
  bool Take(const StepTeller& teller, results::StepRow row);

  // Of the lowest teller.
  std::vector<results::StepRow>& rows() { return rows_; }
  // Whether rows that were new once have given way to those of a lower rank.
  bool replaced() const { return replaced_; }
  // Of any teller; -1: none yet.
  int64_t last_step() const { return last_step_; }

  // A teller and the last step that it told.
  using Reached = std::pair<StepTeller, int64_t>;
  // The one that got least far and the one that got farthest, where they
  // differ.
  std::optional<std::pair<Reached, Reached>> Apart() const;

  // The first loss, of any teller, that is no finite number.
  struct BadLoss {
    StepTeller teller;
    int64_t step = 0;
    double loss = 0;
  };
  const std::optional<BadLoss>& bad_loss() const { return bad_loss_; }

 private:
  std::map<StepTeller, int64_t> reached_;
  std::vector<results::StepRow> rows_;
  int64_t last_step_ = -1;
  bool replaced_ = false;
  std::optional<BadLoss> bad_loss_;
};

}  // namespace zs

#endif  // RUNNER_BACKEND_STEP_TELLERS_H_
