// A model of the present kind (RMSNorm, RoPE, grouped-query attention, SwiGLU)
// with 3.2 million parameters: two CPU cores train a step in a fraction of a
// second, yet the ZeRO stages differ in memory and communication.
{
  name: 'gpt_small',
  layers: 4,
  hidden: 256,
  heads: 8,
  kv_heads: 4,
  head_size: 32,
  ffn: 768,
  vocab: 256,  // bytes
  max_seq_len: 1024,
  norm: 'rmsnorm',
  norm_eps: 1e-6,
  position: 'rope',
  rope_theta: 10000,
  activation: 'swiglu',
  qk_norm: true,
  tied_embeddings: true,
  bias: false,
  init_std: 0.02,
}
