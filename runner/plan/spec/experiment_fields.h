// The fields of the structs of experiment.h with their limits, listed once for
// reading (object_reader.h) and for the editors' schema (json_schema.h).
#ifndef RUNNER_PLAN_SPEC_EXPERIMENT_FIELDS_H_
#define RUNNER_PLAN_SPEC_EXPERIMENT_FIELDS_H_

#include "engine/api/fields.h"
#include "runner/plan/spec/experiment.h"

namespace zs {

// FieldRange of a number.
inline FieldRange Between(double min, double max) {
  return FieldRange{.min = min, .max = max};
}

template <typename Visitor>
void VisitFields(Visitor& v, Topology& t) {
  v.Hosts("nodes", t.nodes);
  v.Field("ranks_per_node", t.ranks_per_node, Between(1, 4096));
  v.Field("master_port", t.master_port, Between(0, 65535));
  v.Argv("reach", t.reach);
}

template <typename Visitor>
void VisitFields(Visitor& v, CheckpointPlan& c) {
  v.Field("save_at_end", c.save_at_end, FieldRange{});
  v.Field("save_every", c.save_every, Between(0, 1e9));
  v.Field("verify_load", c.verify_load, FieldRange{});
  v.Field("dir", c.dir, FieldRange{});
}

template <typename Visitor>
void VisitFields(Visitor& v, Limits& l) {
  const FieldRange seconds = Between(0.1, 1e7);
  v.Field("start_s", l.start_s, seconds);
  v.Field("first_step_s", l.first_step_s, seconds);
  v.Field("hang_s", l.hang_s, seconds);
  v.Field("hang_factor", l.hang_factor, Between(1, 1e6));
  v.Field("total_s", l.total_s, seconds);
  v.Field("grace_s", l.grace_s, Between(0, 3600));
  v.Field("lease_s", l.lease_s, Between(1, 86400));
  v.Field("retries", l.retries, Between(0, 100));
}

template <typename Visitor>
void VisitFields(Visitor& v, ProcessLimits& p) {
  v.Field("memlock_bytes", p.memlock_bytes, Between(-1, kMaxExactInteger));
  v.Field("open_files", p.open_files, Between(-1, 1e9));
  v.Field("core_bytes", p.core_bytes, Between(-1, kMaxExactInteger));
}

template <typename Visitor>
void VisitFields(Visitor& v, NodeNeeds& n) {
  const FieldRange bytes = Between(0, kMaxExactInteger);
  v.Field("paths", n.paths, FieldRange{});
  v.Field("same_files", n.same_files, FieldRange{});
  v.Field("same_trees", n.same_trees, FieldRange{});
  v.Field("free_bytes", n.free_bytes, bytes);
  v.Field("shm_bytes", n.shm_bytes, bytes);
  v.Field("memlock_bytes", n.memlock_bytes, Between(-1, kMaxExactInteger));
  v.Field("open_files", n.open_files, Between(0, 1e9));
  v.Field("clock_skew_s", n.clock_skew_s, Between(0.001, 1e6));
  v.Field("accept", n.accept,
          FieldRange{.one_of = {"clock", "container", "gpu_errors", "gpu_idle",
                                "gpus", "leftovers", "memlock", "network",
                                "open_files", "path", "port_reachable",
                                "program", "same_file", "same_tree", "shm",
                                "space", "version"}});
}

template <typename Visitor>
void VisitFields(Visitor& v, Expect& e) {
  const FieldRange positive = Between(0, 1e18);
  v.Field("world_size", e.world_size, Between(1, 1 << 20));
  v.Field("max_step_cv", e.max_step_cv, Between(0, 1000));
  v.Field("min_tokens_per_s", e.min_tokens_per_s, positive);
  v.Field("min_tokens_per_s_per_rank", e.min_tokens_per_s_per_rank, positive);
  v.Field("max_step_time_ms", e.max_step_time_ms, positive);
  v.Field("max_final_loss", e.max_final_loss, positive);
  v.Field("max_mem_peak_bytes", e.max_mem_peak_bytes,
          Between(1, kMaxExactInteger));
  v.Field("min_busbw_gb_s", e.min_busbw_gb_s, positive);
}

template <typename Visitor>
void VisitFields(Visitor& v, ComparePlan& c) {
  v.Field("loss_tolerance", c.loss_tolerance, Between(0, 1));
  v.Field("window", c.window, FieldRange{});
}

template <typename Visitor>
void VisitFields(Visitor& v, UntilPlan& u) {
  v.Field("rel_ci", u.rel_ci, Between(0.0001, 1));
  v.Field("max", u.max, Between(1, 1000));
}

template <typename Visitor>
void VisitFields(Visitor& v, MegatronSpec& m) {
  v.Field("root", m.root, FieldRange{.required = true});
  v.Field("script", m.script, FieldRange{});
  v.Field("args", m.args, FieldRange{});
  v.Field("tensor_parallel", m.tensor_parallel, Between(1, 4096));
  v.Field("pipeline_parallel", m.pipeline_parallel, Between(1, 4096));
  v.Field("data_parallel", m.data_parallel,
          FieldRange{.one_of = {"ddp", "fsdp"}});
  v.Field("own_script", m.own_script, FieldRange{});
  v.Field("version", m.version, FieldRange{});
  v.Field("allow_effective", m.allow_effective, FieldRange{});
  v.Field("tokenizer", m.tokenizer, FieldRange{});
  v.Field("artifact_root", m.artifact_root, FieldRange{});
}

template <typename Visitor>
void VisitFields(Visitor& v, CommandSpec& c) {
  v.Argv("argv", c.argv);
  v.Field("torchrun", c.torchrun, FieldRange{});
  v.Field("cwd", c.cwd, FieldRange{});
  v.Field("step_pattern", c.step_pattern, FieldRange{});
  v.Field("step_ms_pattern", c.step_ms_pattern, FieldRange{});
  v.Field("tokens_pattern", c.tokens_pattern, FieldRange{});
  v.Field("loss_pattern", c.loss_pattern, FieldRange{});
}

template <typename Visitor>
void VisitFields(Visitor& v, CollectivesSpec& c) {
  const double gib_16 = 17179869184.0;
  v.Field("ops", c.ops,
          FieldRange{.one_of = {"all_reduce", "reduce_scatter", "all_gather",
                                "broadcast", "send_receive"},
                     .required = true});
  v.Field("min_bytes", c.min_bytes, Between(4, gib_16));
  v.Field("max_bytes", c.max_bytes, Between(4, gib_16));
  v.Field("iterations", c.iterations, Between(1, 1e6));
  v.Field("warmup", c.warmup, Between(0, 1e6));
  v.Field("check", c.check, FieldRange{});
}

// What every experiment has, whatever its backend; the others are sections.
template <typename Visitor>
void VisitCommonFields(Visitor& v, Experiment& e, std::string& backend) {
  v.Name("name", e.name, true);
  v.Names("needs", e.needs);
  v.Field(
      "backend", backend,
      FieldRange{.one_of = {"engine", "megatron", "command", "collectives"}});
  v.Field("device", e.device, FieldRange{.one_of = {"cpu", "cuda"}});
  v.Field("threads_per_rank", e.threads_per_rank, Between(0, 4096));
  v.Environment("env", e.env);
  v.Field("login_shell", e.login_shell, FieldRange{});
  v.Field("repeats", e.repeats, Between(1, 1000));
  v.Field("sentinel", e.sentinel, FieldRange{});
  v.Field("exclude", e.exclude, FieldRange{});
}

}  // namespace zs

#endif  // RUNNER_PLAN_SPEC_EXPERIMENT_FIELDS_H_
