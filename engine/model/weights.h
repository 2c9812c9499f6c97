// Views on the parameters (or the gradients) of a unit, by their role.
#ifndef ENGINE_MODEL_WEIGHTS_H_
#define ENGINE_MODEL_WEIGHTS_H_

#include "engine/api/layout.h"
#include "engine/ops/op_types.h"
#include "engine/ops/tensor.h"

namespace zs {

// A linear layer; the bias may be absent.
struct LinearWeights {
  Tensor weight;  // {out, in}
  Tensor bias;    // {1, out}
};

struct EmbeddingWeights {
  Tensor token;     // {vocab, H}
  Tensor position;  // {max_seq_len, H}; absent with RoPE
};

struct LayerWeights {
  NormWeights norm1;
  LinearWeights qkv;  // rows of q, then k, then v
  Tensor q_norm;      // {1, D}; absent without QK norm
  Tensor k_norm;
  LinearWeights out;
  NormWeights norm2;
  LinearWeights up;  // with SwiGLU rows of gate, then up
  LinearWeights down;
};

struct HeadWeights {
  NormWeights norm;
  Tensor lm;  // {vocab, H}; absent where the embeddings are tied
};

// DATA: the unit's elements, laid out as UNIT says, of type DTYPE.
EmbeddingWeights BindEmbedding(const Unit& unit, const void* data, DType dtype);
LayerWeights BindLayer(const Unit& unit, const void* data, DType dtype,
                       double norm_eps);
HeadWeights BindHead(const Unit& unit, const void* data, DType dtype,
                     double norm_eps);

}  // namespace zs

#endif  // ENGINE_MODEL_WEIGHTS_H_
