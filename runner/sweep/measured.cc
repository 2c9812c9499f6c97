#include "runner/sweep/measured.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/strings.h"
#include "results/stats/summary.h"
#include "results/store/record.h"

namespace zs {
namespace {

// The value that GET gives for every entry of MAP; absent where they differ or
// there is none.
template <typename Map, typename Get>
auto Agreed(const Map& map, Get get)
    -> std::optional<decltype(get(map.begin()->second))> {
  if (map.empty()) {
    return std::nullopt;
  }
  const auto first = get(map.begin()->second);
  for (const auto& [rank, entry] : map) {
    if (get(entry) != first) {
      return std::nullopt;
    }
  }
  return first;
}

// "step 7: loss nan" where VALUE is told and no number.
std::string NotFinite(const results::StepRow& step, const char* what,
                      const std::optional<double>& value) {
  if (!value.has_value() || std::isfinite(*value)) {
    return "";
  }
  return "step " + std::to_string(step.step) + ": " + what + " " +
         FormatNumber(*value);
}

std::optional<std::string> InvalidLoss(const RunRecord& record) {
  for (const results::StepRow& step : record.steps) {
    for (const std::string& fault :
         {NotFinite(step, "loss", step.loss),
          NotFinite(step, "gradient norm", step.grad_norm)}) {
      if (!fault.empty()) {
        return fault;
      }
    }
  }
  for (const auto& [rank, error] : record.errors) {
    if (error.code == "invalid_loss") {
      return error.message;
    }
  }
  return record.invalid_loss;
}

void CountSteps(const RunRecord& record, Measured& measured) {
  if (!record.every_step && !record.steps.empty()) {
    // A row may speak for several; a program that counts from 0 has done one
    // more than the number of its last.
    measured.first_step = record.steps.front().step;
    measured.steps =
        record.steps.back().step + (measured.first_step == 0 ? 1 : 0);
    return;
  }
  for (const results::StepRow& step : record.steps) {
    if (measured.first_step == 0) {
      measured.first_step = step.step;
    }
    if (step.step != measured.first_step + measured.steps) {
      return;  // a gap or a repetition: no further
    }
    ++measured.steps;
  }
}

void MeasureWindow(const RunRecord& record, int64_t warmup_steps,
                   Measured& measured) {
  std::vector<double> step_ms;
  double tokens = 0;
  double total_ms = 0;
  bool tokens_known = true;
  for (const results::StepRow& step : record.steps) {
    if (step.step > warmup_steps && step.step_ms.has_value() &&
        step.mark.empty()) {
      step_ms.push_back(*step.step_ms);
      tokens_known &= step.tokens.has_value();
      tokens += static_cast<double>(step.tokens.value_or(0));
      total_ms += *step.step_ms;
    }
  }
  measured.step_ms_median = results::Median(step_ms);
  measured.step_cv = results::CoefficientOfVariation(step_ms);
  if (total_ms > 0 && tokens_known) {
    measured.tokens_per_s = tokens / (total_ms / 1000);
    if (measured.world_size.value_or(0) > 0) {
      measured.tokens_per_s_per_rank =
          *measured.tokens_per_s / *measured.world_size;
    }
  }
}

// The best of each operation, and the least of these.
void MeasureBandwidth(const RunRecord& record, Measured& measured) {
  std::map<std::string, double> best;
  for (const results::StepRow& step : record.steps) {
    for (const results::CommRow& comm : step.comm) {
      if (comm.busbw_gb_s.has_value()) {
        double& most = best[comm.op];
        most = std::max(most, *comm.busbw_gb_s);
      }
    }
  }
  for (const auto& [op, busbw] : best) {
    measured.busbw_gb_s = std::min(measured.busbw_gb_s.value_or(busbw), busbw);
  }
}

// Whether COUNT ranks are all of them.
bool AreAll(size_t count, const Measured& measured) {
  return measured.world_size.has_value() &&
         static_cast<int64_t>(count) >= *measured.world_size;
}

void MeasureParameters(const RunRecord& record, Measured& measured) {
  const auto agreed = Agreed(
      record.ends, [](const EndEvent& e) { return e.parameters_sha256; });
  measured.ranks_ended = static_cast<int>(record.ends.size());
  measured.ranks_differ = !record.ends.empty() && !agreed.has_value();
  if (AreAll(record.ends.size(), measured)) {
    measured.parameters_sha256 = agreed;
  }
}

void MeasureMemory(const RunRecord& record, Measured& measured) {
  int64_t most = 0;
  size_t told = 0;
  for (const auto& [rank, memory] : record.mem_peak_bytes) {
    told += memory.total.has_value() ? 1 : 0;
    most = std::max(most, memory.total.value_or(0));
  }
  if (told > 0 && AreAll(told, measured)) {
    measured.mem_peak_bytes = most;
  }
}

}  // namespace

Measured Measure(const RunRecord& record, int64_t warmup_steps) {
  Measured measured;
  measured.world_size = record.effective.world_size;
  measured.zero_stage = record.effective.zero_stage;
  measured.missing = record.missing;
  measured.invalid_loss = InvalidLoss(record);
  MeasureParameters(record, measured);
  MeasureMemory(record, measured);
  CountSteps(record, measured);
  MeasureWindow(record, warmup_steps, measured);
  MeasureBandwidth(record, measured);
  if (!record.steps.empty()) {
    measured.final_loss = record.steps.back().loss;
  }
  return measured;
}

}  // namespace zs
