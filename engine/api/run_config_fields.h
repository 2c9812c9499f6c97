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
    return Limits{.min = 1, .max = max, .required = true};
  };
  v.Field("name", m.name, Limits{});
  v.Field("layers", m.layers, count(1000));
  v.Field("hidden", m.hidden, count(1 << 20));
  v.Field("heads", m.heads, count(1 << 14));
  v.Field("kv_heads", m.kv_heads, count(1 << 14));
  v.Field("head_size", m.head_size, count(1 << 14));
  v.Field("ffn", m.ffn, count(1 << 22));
  v.Field("vocab", m.vocab, count(1 << 26));
  v.Field("max_seq_len", m.max_seq_len, count(1 << 26));
  v.Field("norm", m.norm,
          Limits{.one_of = {"layernorm", "rmsnorm"}, .required = true});
  v.Field("norm_eps", m.norm_eps, Limits{.min = 0, .max = 1});
  v.Field("position", m.position,
          Limits{.one_of = {"learned", "rope"}, .required = true});
  v.Field("rope_theta", m.rope_theta, Limits{.min = 1, .max = 1e12});
  v.Field("activation", m.activation,
          Limits{.one_of = {"gelu", "swiglu"}, .required = true});
  v.Field("qk_norm", m.qk_norm, Limits{});
  v.Field("tied_embeddings", m.tied_embeddings, Limits{});
  v.Field("bias", m.bias, Limits{});
  v.Field("init_std", m.init_std, Limits{.min = 0, .max = 10});
}

template <typename Visitor>
void VisitFields(Visitor& v, DataConfig& d) {
  v.Field("kind", d.kind,
          Limits{.one_of = {"text", "megatron", "random"}, .required = true});
  v.Field("paths", d.paths, Limits{});
}

template <typename Visitor>
void VisitFields(Visitor& v, TrainConfig& t) {
  const Limits rate{.min = 0, .max = 100};
  const Limits beta{.min = 0, .max = 1};
  v.Field("zero_stage", t.zero_stage, Limits{.min = 0, .max = 2});
  v.Field("micro_batch", t.micro_batch, Limits{.min = 1, .max = 1 << 20});
  v.Field("global_batch", t.global_batch, Limits{.min = 1, .max = 1 << 26});
  v.Field("seq_len", t.seq_len,
          Limits{.min = 1, .max = 1 << 26, .required = true});
  v.Field("steps", t.steps, Limits{.min = 1, .max = 1e9, .required = true});
  v.Field("warmup_steps", t.warmup_steps, Limits{.min = 0, .max = 1e9});
  v.Field("seed", t.seed, Limits{.min = 0, .max = kMaxExactInteger});
  v.Field("lr", t.lr, rate);
  v.Field("min_lr", t.min_lr, rate);
  v.Field("lr_schedule", t.lr_schedule,
          Limits{.one_of = {"constant", "cosine"}});
  v.Field("lr_warmup_steps", t.lr_warmup_steps, Limits{.min = 0, .max = 1e9});
  v.Field("weight_decay", t.weight_decay, rate);
  v.Field("beta1", t.beta1, beta);
  v.Field("beta2", t.beta2, beta);
  v.Field("adam_eps", t.adam_eps, Limits{.min = 0, .max = 1});
  v.Field("clip_grad", t.clip_grad, Limits{.min = 0, .max = 1e9});
  v.Field("dtype", t.dtype, Limits{.one_of = {"fp32", "bf16"}});
  v.Field("overlap", t.overlap, Limits{});
  v.Field("deterministic", t.deterministic, Limits{});
  v.Field("recompute", t.recompute,
          Limits{.one_of = {"none", "cheap", "full"}});
}

template <typename Visitor>
void VisitFields(Visitor& v, CheckpointConfig& c) {
  v.Field("save_dir", c.save_dir, Limits{});
  v.Field("save_at_end", c.save_at_end, Limits{});
  v.Field("save_every", c.save_every, Limits{.min = 0, .max = 1e9});
  v.Field("load_dir", c.load_dir, Limits{});
}

}  // namespace zs

#endif  // ENGINE_API_RUN_CONFIG_FIELDS_H_
