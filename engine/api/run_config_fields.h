// The fields of the structs of run_config.h with their limits, listed once for
// reading and writing (see fields.h).
#ifndef ENGINE_API_RUN_CONFIG_FIELDS_H_
#define ENGINE_API_RUN_CONFIG_FIELDS_H_

#include "engine/api/fields.h"
#include "engine/api/run_config.h"

namespace zs {

template <typename Visitor>
void VisitFields(Visitor& v, ModelConfig& m) {
  const auto count = [](double max) {
    return FieldRange{.min = 1, .max = max, .required = true};
  };
  v.Field("name", m.name, FieldRange{});
  v.Field("layers", m.layers, count(1000));
  v.Field("hidden", m.hidden, count(1 << 20));
  v.Field("heads", m.heads, count(1 << 14));
  v.Field("kv_heads", m.kv_heads, count(1 << 14));
  v.Field("head_size", m.head_size, count(1 << 14));
  v.Field("ffn", m.ffn, count(1 << 22));
  v.Field("vocab", m.vocab, count(1 << 26));
  v.Field("max_seq_len", m.max_seq_len, count(1 << 26));
  v.Field("norm", m.norm,
          FieldRange{.one_of = {"layernorm", "rmsnorm"}, .required = true});
  v.Field("norm_eps", m.norm_eps, FieldRange{.min = 0, .max = 1});
  v.Field("position", m.position,
          FieldRange{.one_of = {"learned", "rope"}, .required = true});
  v.Field("rope_theta", m.rope_theta, FieldRange{.min = 1, .max = 1e12});
  v.Field("activation", m.activation,
          FieldRange{.one_of = {"gelu", "swiglu"}, .required = true});
  v.Field("qk_norm", m.qk_norm, FieldRange{});
  v.Field("tied_embeddings", m.tied_embeddings, FieldRange{});
  v.Field("bias", m.bias, FieldRange{});
  v.Field("init_std", m.init_std, FieldRange{.min = 0, .max = 10});
}

template <typename Visitor>
void VisitFields(Visitor& v, DataConfig& d) {
  v.Field(
      "kind", d.kind,
      FieldRange{.one_of = {"text", "megatron", "random"}, .required = true});
  v.Field("paths", d.paths, FieldRange{});
}

template <typename Visitor>
void VisitFields(Visitor& v, TrainConfig& t) {
  const FieldRange rate{.min = 0, .max = 100};
  // At 1 the moments stand still and are divided by 1 - 1; in fp32 what lies
  // closer to it is 1.
  const FieldRange beta{.min = 0, .max = 0.9999999};
  v.Field("zero_stage", t.zero_stage, FieldRange{.min = 0, .max = 2});
  v.Field("micro_batch", t.micro_batch, FieldRange{.min = 1, .max = 1 << 20});
  v.Field("global_batch", t.global_batch, FieldRange{.min = 1, .max = 1 << 26});
  v.Field("seq_len", t.seq_len,
          FieldRange{.min = 1, .max = 1 << 26, .required = true});
  v.Field("steps", t.steps, FieldRange{.min = 1, .max = 1e9});
  v.Field("warmup_steps", t.warmup_steps, FieldRange{.min = 0, .max = 1e9});
  v.Field("seed", t.seed, FieldRange{.min = 0, .max = kMaxExactInteger});
  v.Field("lr", t.lr, rate);
  v.Field("min_lr", t.min_lr, rate);
  v.Field("lr_schedule", t.lr_schedule,
          FieldRange{.one_of = {"constant", "cosine"}});
  v.Field("lr_warmup_steps", t.lr_warmup_steps,
          FieldRange{.min = 0, .max = 1e9});
  v.Field("weight_decay", t.weight_decay, rate);
  v.Field("beta1", t.beta1, beta);
  v.Field("beta2", t.beta2, beta);
  // Without it what has had no gradient is divided by 0; fp32 has 1e-30.
  v.Field("adam_eps", t.adam_eps, FieldRange{.min = 1e-30, .max = 1});
  v.Field("clip_grad", t.clip_grad, FieldRange{.min = 0, .max = 1e9});
  v.Field("dtype", t.dtype, FieldRange{.one_of = {"fp32", "bf16"}});
  v.Field("overlap", t.overlap, FieldRange{});
  v.Field("deterministic", t.deterministic, FieldRange{});
  v.Field("recompute", t.recompute,
          FieldRange{.one_of = {"none", "cheap", "full"}});
}

template <typename Visitor>
void VisitFields(Visitor& v, CheckpointConfig& c) {
  v.Field("save_dir", c.save_dir, FieldRange{});
  v.Field("save_at_end", c.save_at_end, FieldRange{});
  v.Field("save_every", c.save_every, FieldRange{.min = 0, .max = 1e9});
  v.Field("load_dir", c.load_dir, FieldRange{});
}

}  // namespace zs

#endif  // ENGINE_API_RUN_CONFIG_FIELDS_H_
