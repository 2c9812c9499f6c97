// When is a run too late? Pure arithmetic on times that the caller gives, in
// seconds since the run began.
#ifndef RUNNER_SUPERVISE_DEADLINES_H_
#define RUNNER_SUPERVISE_DEADLINES_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "runner/supervise/request.h"

namespace zs {

enum class Limit {
  kReach,       // an agent has not answered
  kStart,       // a rank has not started
  kFirstStep,   // no step was done
  kHang,        // no further step was done
  kTotal,       // the whole run
  kExitSpread,  // some ranks have ended with 0 and others go on
  kAfterError,  // a rank has reported an error and the run goes on
};

class Deadlines {
 public:
  Deadlines(const RunLimits& limits, const std::vector<int>& ranks);

  void Reached() { reached_ = true; }
  void Launched(double now_s) { launched_s_ = now_s; }
  void RankStarted(int rank, double now_s);
  // Steps that are not beyond the last one are repetitions and count for
  // nothing.
  void StepDone(int64_t step, double now_s);
  void Alive(double now_s) { progress_s_ = now_s; }
  void ErrorSeen(double now_s);
  void RankExitedZero(double now_s);

  struct Expiry {
    Limit limit;
    double at_s;
  };
  // The limit that passes first if nothing more happens.
  std::optional<Expiry> Next() const;

  const std::set<int>& not_started() const { return not_started_; }
  std::optional<double> all_started_s() const { return all_started_s_; }
  std::optional<double> first_step_s() const { return first_step_s_; }
  int64_t last_step() const { return last_step_; }
  // How long a step may take now: max(hang_s, hang_factor x median); for
  // ever (0) where hang_s is 0.
  double step_limit_s() const;

 private:
  RunLimits limits_;
  std::set<int> not_started_;
  bool reached_ = false;
  std::optional<double> launched_s_;
  std::optional<double> all_started_s_;
  std::optional<double> first_step_s_;
  std::optional<double> first_exit_s_;
  std::optional<double> error_s_;
  int64_t last_step_ = 0;
  double step_done_s_ = 0;          // when last_step_ was done
  double progress_s_ = 0;           // the hang clock's zero
  std::deque<double> durations_s_;  // of the newest steps
};

}  // namespace zs

#endif  // RUNNER_SUPERVISE_DEADLINES_H_
