// Embedding look-up and its gradient.
#ifndef ENGINE_CUDA_KERNELS_EMBEDDING_H_
#define ENGINE_CUDA_KERNELS_EMBEDDING_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "engine/cuda/kernels/types.h"

namespace zs::gpu {

// y[i] = table[tokens[i]] + positions[i mod seq_len].
struct Embedding {
  const int32_t* tokens = nullptr;  // {rows}, each in [0, vocab)
  const Bf16* table = nullptr;      // {vocab, width}
  const Bf16* positions = nullptr;  // {>= seq_len, width}; null: none
  Bf16* y = nullptr;                // {rows, width}
  int64_t rows = 0;
  int64_t width = 0;
  int64_t seq_len = 0;
};
Status LaunchEmbedding(const Embedding& args, cudaStream_t stream);

// Adds dy's rows to those of their tokens, in the order of the rows, however
// often a token occurs. Bf16 sums are rounded once, after the last row.
struct EmbeddingBackward {
  const int32_t* tokens = nullptr;  // {rows}, each in [0, vocab)
  const Bf16* dy = nullptr;         // {rows, width}
  Grad d_table;                     // {vocab, width}; accumulate is true
  Grad d_positions;                 // {>= seq_len, width}; data null: none
  void* scratch = nullptr;          // EmbeddingBackwardScratch(rows) bytes
  int64_t rows = 0;
  int64_t width = 0;
  int64_t vocab = 0;
  int64_t seq_len = 0;  // divides rows
};
Status LaunchEmbeddingBackward(const EmbeddingBackward& args,
                               cudaStream_t stream);

// Bytes of scratch memory for this many rows.
Result<size_t> EmbeddingBackwardScratch(int64_t rows);

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_KERNELS_EMBEDDING_H_
