#include "runner/supervise/deadlines.h"

#include <algorithm>

namespace zs {
namespace {

constexpr size_t kMedianOf = 101;

double Median(std::vector<double> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Deadlines::Deadlines(const RunLimits& limits, const std::vector<int>& ranks)
    : limits_(limits), not_started_(ranks.begin(), ranks.end()) {}

void Deadlines::RankStarted(int rank, double now_s) {
  if (not_started_.erase(rank) == 1 && not_started_.empty()) {
    all_started_s_ = now_s;
  }
}

void Deadlines::StepDone(int64_t step, double now_s) {
  if (step <= last_step_ && first_step_s_) {
    return;
  }
  if (!first_step_s_) {
    first_step_s_ = now_s;
  } else {
    durations_s_.push_back((now_s - step_done_s_) /
                           static_cast<double>(step - last_step_));
    if (durations_s_.size() > kMedianOf) {
      durations_s_.pop_front();
    }
  }
  last_step_ = step;
  step_done_s_ = now_s;
  progress_s_ = now_s;
}

void Deadlines::ErrorSeen(double now_s) {
  error_s_ = error_s_ ? error_s_ : now_s;
}

void Deadlines::RankExitedZero(double now_s) {
  first_exit_s_ = first_exit_s_ ? first_exit_s_ : now_s;
}

double Deadlines::step_limit_s() const {
  double limit_s = limits_.hang_s;
  if (limit_s > 0 && limits_.hang_factor > 0 && !durations_s_.empty()) {
    limit_s = std::max(limit_s,
                       limits_.hang_factor *
                           Median({durations_s_.begin(), durations_s_.end()}));
  }
  return limit_s;
}

std::optional<Deadlines::Expiry> Deadlines::Next() const {
  std::optional<Expiry> next;
  const auto consider = [&next](Limit limit, double since_s, double limit_s) {
    if (limit_s > 0 && (!next || since_s + limit_s < next->at_s)) {
      next = Expiry{limit, since_s + limit_s};
    }
  };
  if (!reached_) {
    consider(Limit::kReach, 0, limits_.reach_s);
  } else if (launched_s_ && !not_started_.empty()) {
    consider(Limit::kStart, *launched_s_, limits_.start_s);
  } else if (all_started_s_ && !first_step_s_) {
    consider(Limit::kFirstStep, std::max(*all_started_s_, progress_s_),
             limits_.first_step_s);
  }
  if (first_step_s_) {
    consider(Limit::kHang, progress_s_, step_limit_s());
  }
  if (first_exit_s_) {
    consider(Limit::kExitSpread, *first_exit_s_, limits_.exit_spread_s);
  }
  if (error_s_) {
    consider(Limit::kAfterError, *error_s_, limits_.after_error_s);
  }
  consider(Limit::kTotal, 0, limits_.total_s);
  return next;
}

}  // namespace zs
