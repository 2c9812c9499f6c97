#include "runner/observe/diagnose/diagnosis_json.h"

#include <cmath>
#include <string_view>

namespace zs {
namespace {

Json Number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json Count(int64_t value) {
  return value >= 0 ? Json(value) : Json();
}

Json Text(std::string_view value) {
  return value.empty() ? Json() : Json(std::string(value));
}

Json FindingJson(const Finding& finding, const std::string& run) {
  return {
      {"code", finding.code},
      {"severity", SeverityName(finding.severity)},
      {"secondary", finding.secondary},
      {"node", Text(finding.node)},
      {"rank", Count(finding.rank)},
      {"file", Text(finding.file)},
      {"line", finding.line > 0 ? Json(finding.line) : Json()},
      {"quote", finding.quote},
      {"meaning", finding.meaning},
      {"causes", finding.causes},
      {"hint", finding.hint},
      {"confidence", ConfidenceName(finding.confidence)},
      {"count", finding.count},
      {"ends_run", finding.ends_run},
      {"time_s", finding.time_s.has_value() ? Number(*finding.time_s) : Json()},
      {"run", run},
  };
}

Json PhaseJson(const PhaseSummary& phase) {
  return {
      {"first_iteration", Count(phase.first_iteration)},
      {"last_iteration", Count(phase.last_iteration)},
      {"steps", phase.steps},
      {"steps_counted", phase.counted},
      {"warmup_included", phase.warmup_included},
      {"global_batch", Count(phase.global_batch)},
      {"step_time_ms",
       {{"median", Number(phase.median_ms)},
        {"p95", Number(phase.p95_ms)},
        {"mean", Number(phase.mean_ms)},
        {"min", Number(phase.min_ms)},
        {"max", Number(phase.max_ms)},
        {"cv", Number(phase.cv)}}},
      {"tokens_per_s", Number(phase.tokens_per_s)},
      {"tokens_per_s_per_gpu", Number(phase.tokens_per_s_per_gpu)},
      {"samples_per_s", Number(phase.samples_per_s)},
      {"tflops_printed", Number(phase.tflops_printed)},
      {"first_loss", Number(phase.first_loss)},
      {"last_loss", Number(phase.last_loss)},
  };
}

// A run's figures; those of its last phase stand at the top as well.
Json RunJson(const RunSummary& run) {
  Json phases = Json::array();
  for (const PhaseSummary& phase : run.phases) {
    phases.push_back(PhaseJson(phase));
  }
  Json json = phases.empty() ? Json::object() : phases.back();
  constexpr double kMib = 1024.0 * 1024.0;
  json.update(Json{
      {"trainer", run.trainer},
      {"file", run.file},
      {"iterations_planned", Count(run.iterations_planned)},
      {"last_iteration", Count(run.last_iteration)},
      {"completed", run.completed},
      {"world_size", Count(run.world_size)},
      {"nodes", Count(run.nodes)},
      {"sequence_length", Count(run.sequence_length)},
      {"micro_batch", Count(run.micro_batch)},
      {"zero_requested", Count(run.zero_requested)},
      {"zero_effective", Count(run.zero_effective)},
      {"wrapper", Text(run.wrapper)},
      {"tflops_formula", Text(run.tflops_formula)},
      {"strategy", Text(run.strategy)},
      {"mem_peak_bytes", Number(run.memory_peak_mib * kMib)},
      {"mem_reserved_bytes", Number(run.memory_reserved_mib * kMib)},
      {"final_loss", Number(run.final_loss)},
      {"skipped_iterations", run.skipped_iterations},
      {"nan_iterations", run.nan_iterations},
      {"stride", run.stride},
  });
  json["phases"] = std::move(phases);
  return json;
}

Json NcclJson(const NcclHealth& nccl) {
  return {
      {"health", HealthName(nccl.health)},
      {"evidence", nccl.evidence},
      {"version", Text(nccl.version)},
      {"networks", nccl.networks},
      {"link_layer", Text(nccl.link_layer)},
      {"channels", nccl.channels},
      {"nodes", Count(nccl.nodes)},
      {"ranks", Count(nccl.ranks)},
      {"init_s", Number(nccl.init_s)},
      {"busbw_gb_s", Number(nccl.busbw_gb_s)},
      {"busbw_bytes", Count(nccl.busbw_bytes)},
      {"busbw_operation", Text(nccl.busbw_operation)},
  };
}

Json GroupJson(const RunDiagnosis& group) {
  Json runs = Json::array();
  for (const RunSummary& run : group.runs) {
    runs.push_back(RunJson(run));
  }
  return {
      {"name", group.name},
      {"verdict", HealthName(group.verdict)},
      {"root_cause",
       group.has_root ? Json(group.findings.front().code) : Json()},
      {"nccl", NcclJson(group.nccl)},
      {"training", std::move(runs)},
      {"lines", group.counts.lines},
      {"lines_recognised", group.counts.recognised},
      {"lines_cut", group.counts.cut_lines},
      {"bytes", group.counts.bytes},
      {"unread", group.unread},
  };
}

}  // namespace

Json DiagnosisToJson(const Diagnosis& diagnosis) {
  Json findings = Json::array();
  Json runs = Json::array();
  Json root;
  for (const RunDiagnosis& group : diagnosis.groups) {
    for (const Finding& finding : group.findings) {
      findings.push_back(FindingJson(finding, group.name));
      if (&finding == diagnosis.root_cause()) {
        root = findings.back();
      }
    }
    runs.push_back(GroupJson(group));
  }
  return {{"verdict", HealthName(diagnosis.verdict)},
          {"root_cause", std::move(root)},
          {"findings", std::move(findings)},
          {"runs", std::move(runs)}};
}

}  // namespace zs
