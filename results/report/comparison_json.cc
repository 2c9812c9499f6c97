#include "results/report/comparison_json.h"

#include <cmath>
#include <optional>

#include "results/report/loss_check.h"

namespace zs::results {
namespace {

const char* Name(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kWrong:
      return "wrong";
    case VerdictKind::kBest:
      return "best";
    case VerdictKind::kDetail:
      return "detail";
    case VerdictKind::kCaution:
      return "caution";
  }
  return "";
}

Json OrNull(std::optional<double> value) {
  return value ? Json(*value) : Json();
}
Json OrNull(std::optional<int> value) {
  return value ? Json(*value) : Json();
}

Json MemoryJson(const std::optional<MemoryRow>& memory) {
  if (!memory) {
    return nullptr;
  }
  const auto field = [](std::optional<int64_t> bytes) {
    return bytes ? Json(*bytes) : Json();
  };
  return {{"parameters", field(memory->parameters)},
          {"gradients", field(memory->gradients)},
          {"optimizer", field(memory->optimizer)},
          {"activations", field(memory->activations)},
          {"logits", field(memory->logits)},
          {"workspace", field(memory->workspace)},
          {"communication", field(memory->communication)},
          {"total", field(memory->total)}};
}

Json RatioJson(const ComparedExperiment& e) {
  if (e.name == e.baseline) {
    return {{"value", 1.0},
            {"lo", 1.0},
            {"hi", 1.0},
            {"p_value", 1.0},
            {"word", "SAME"},
            {"why", ""},
            {"run_noise", nullptr},
            {"chance_faster", nullptr},
            {"rank_p_value", nullptr}};
  }
  const SpeedRatio& r = e.ratio;
  return {{"value", OrNull(e.ratio.value)},
          {"lo", OrNull(e.ratio.lo)},
          {"hi", OrNull(e.ratio.hi)},
          {"p_value", OrNull(e.ratio.p_value)},
          {"word", e.ratio.word},
          {"why", e.ratio.why},
          {"run_noise", OrNull(r.run_noise)},
          {"chance_faster", OrNull(r.chance_faster)},
          {"rank_p_value", OrNull(r.rank_p_value)}};
}

Json CommJson(const ComparedExperiment& e) {
  Json ops = Json::object();
  for (const CommPerStep& op : e.comm) {
    ops[op.op] = {{"measured", OrNull(op.measured_bytes)},
                  {"theory", OrNull(op.theory_bytes)}};
  }
  return ops;
}

Json LossJson(const ComparedExperiment& e) {
  const LossCheck& check = e.loss_check;
  if (!check.equal) {
    return nullptr;
  }
  // Infinite where a loss is no number: JSON has no such value.
  return {
      {"tolerance", check.tolerance},
      {"spread", check.spread},
      {"largest", std::isfinite(check.largest) ? Json(check.largest) : Json()},
      {"step", check.step == 0 ? Json() : Json(check.step)},
      {"text", LossText(check)}};
}

Json ExperimentJson(const ComparedExperiment& e) {
  Json json = {
      {"name", e.name},
      {"baseline", e.baseline},
      {"run", e.run_id == 0 ? Json() : Json(e.run_id)},
      {"runs", e.run_ids},
      {"missing", e.missing},
      {"faults", e.faults},
      {"observations", e.observations},
      {"zero_requested", OrNull(e.zero_requested)},
      {"zero_effective", OrNull(e.zero_effective)},
      {"world_size", OrNull(e.world_size)},
      {"device", e.device.empty() ? Json("unknown") : Json(e.device)},
      {"n", e.n},
      {"tokens_per_s", OrNull(e.tokens_per_s)},
      {"tokens_per_s_per_gpu", OrNull(e.tokens_per_s_per_gpu)},
      {"tokens_per_s_mean", OrNull(e.tokens_per_s_mean)},
      {"comm_bytes_per_step", OrNull(e.comm_bytes_per_step)},
      {"comm_theory_bytes_per_step", OrNull(e.comm_theory_bytes_per_step)},
      {"comm_by_operation", CommJson(e)},
      {"comm_exposed_ms", OrNull(e.comm_exposed_ms)},
      {"final_loss", OrNull(e.final_loss)},
      {"loss_equal", e.loss_equal ? Json(*e.loss_equal) : Json()},
      {"loss_check", LossJson(e)},
      {"nccl_health", e.nccl_health},
      {"mem_peak_bytes", MemoryJson(e.mem_peak)},
      {"mem_predicted_bytes", MemoryJson(e.mem_predicted)},
      {"ratio", RatioJson(e)}};
  json["step_time_ms"] = {{"median", OrNull(e.step_ms_median)},
                          {"p95", OrNull(e.step_ms_p95)},
                          {"cv", OrNull(e.step_cv)},
                          {"predicted", OrNull(e.step_ms_predicted)}};
  json["term_off"] = e.term_off
                         ? Json({{"name", e.term_off->name},
                                 {"predicted_ms", e.term_off->predicted_ms},
                                 {"measured_ms", e.term_off->measured_ms}})
                         : Json();
  json["window"] =
      e.n == 0 ? Json()
               : Json({{"first", e.window_first}, {"last", e.window_last}});
  return json;
}

}  // namespace

Json ToJson(const Comparison& comparison) {
  Json experiments = Json::array();
  for (const ComparedExperiment& e : comparison.experiments) {
    experiments.push_back(ExperimentJson(e));
  }
  Json differences = Json::array();
  for (const Difference& d : comparison.differences) {
    differences.push_back({{"experiment", d.experiment},
                           {"path", d.path},
                           {"baseline", d.baseline},
                           {"value", d.value},
                           {"unfair", d.unfair}});
  }
  Json lines = Json::array();
  for (const VerdictLine& line : comparison.verdict_lines) {
    lines.push_back({{"kind", Name(line.kind)}, {"text", line.text}});
  }
  return {{"baseline", comparison.baseline}, {"verdict", comparison.verdict},
          {"verdict_lines", lines},          {"measured", comparison.measured},
          {"even_so", comparison.even_so},   {"differences", differences},
          {"notes", comparison.notes},       {"experiments", experiments}};
}

}  // namespace zs::results
