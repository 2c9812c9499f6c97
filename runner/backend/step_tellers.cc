#include "runner/backend/step_tellers.h"

#include <algorithm>
#include <cmath>

namespace zs {
namespace {

template <typename T>
void Fill(std::optional<T>& target, const std::optional<T>& value) {
  target = target.has_value() ? target : value;
}

// What MORE tells of the step that ROW does not.
void FillIn(const results::StepRow& more, results::StepRow& row) {
  Fill(row.step_ms, more.step_ms);
  Fill(row.tokens, more.tokens);
  Fill(row.loss, more.loss);
  Fill(row.grad_norm, more.grad_norm);
  Fill(row.lr, more.lr);
}

}  // namespace

bool StepTellers::Take(const StepTeller& teller, results::StepRow row) {
  last_step_ = std::max(last_step_, row.step);
  const bool lowest = reached_.empty() || teller <= reached_.begin()->first;
  if (lowest && !rows_.empty() && teller != reached_.begin()->first) {
    rows_.clear();
    replaced_ = true;
  }
  int64_t& reached = reached_.try_emplace(teller, -1).first->second;
  const bool is_new = row.step > reached;
  const bool again = row.step == reached;
  reached = std::max(reached, row.step);
  const bool counts = is_new || again;
  if (counts && !bad_loss_ && row.loss && !std::isfinite(*row.loss)) {
    bad_loss_ = {teller, row.step, *row.loss};
  }
  if (!lowest) {
    return false;
  }
  if (is_new) {
    rows_.push_back(std::move(row));
  } else if (again && !rows_.empty()) {
    FillIn(row, rows_.back());
  }
  return is_new;
}

std::optional<std::pair<StepTellers::Reached, StepTellers::Reached>>
StepTellers::Apart() const {
  const auto [least, most] = std::minmax_element(
      reached_.begin(), reached_.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  if (least == reached_.end() || least->second == most->second) {
    return std::nullopt;
  }
  return std::pair<Reached, Reached>(*least, *most);
}

}  // namespace zs
