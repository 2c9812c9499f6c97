// A GPT-2-like model that trains a step in milliseconds: for smoke runs, where
// the question is whether everything works and not how good the model is.
{
  name: 'gpt_smoke',
  layers: 4,
  hidden: 128,
  heads: 4,
  kv_heads: 4,
  head_size: 32,
  ffn: 512,
  vocab: 256,  // bytes
  max_seq_len: 1024,
  norm: 'layernorm',
  norm_eps: 1e-5,
  position: 'learned',
  activation: 'gelu',
  qk_norm: false,
  tied_embeddings: true,
  bias: true,
  init_std: 0.02,
}
