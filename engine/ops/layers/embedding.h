// The embedding on CPUs; shapes and meaning in engine/ops/ops.h.
#ifndef ENGINE_OPS_LAYERS_EMBEDDING_H_
#define ENGINE_OPS_LAYERS_EMBEDDING_H_

#include <cstdint>

#include "engine/ops/cpu/cpu_context.h"
#include "engine/ops/tensor.h"

namespace zs {

// The tables, or their gradients.
struct EmbeddingTables {
  Tensor token;     // {vocab, C}
  Tensor position;  // {>= seq_len, C} or absent
};

// y {n, C} = token[tokens[i]] + position[i mod seq_len].
void Embedding(CpuContext& cpu, const int32_t* tokens,
               const EmbeddingTables& tables, int64_t seq_len, const Tensor& y);

// Adds dy {n, C} to the rows that were read, in the order of the rows.
void EmbeddingBackward(CpuContext& cpu, const int32_t* tokens, const Tensor& dy,
                       int64_t seq_len, const EmbeddingTables& gradients);

}  // namespace zs

#endif  // ENGINE_OPS_LAYERS_EMBEDDING_H_
