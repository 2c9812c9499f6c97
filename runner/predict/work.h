// The arithmetic of a training step: what one rank computes, moves and sends.
// Pure; docs/metrics.md ("Prediction") derives the formulas.
#ifndef RUNNER_PREDICT_WORK_H_
#define RUNNER_PREDICT_WORK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/api/run_config.h"

namespace zs {

// One micro-batch in one direction on one rank.
struct PassWork {
  double gemm_flops = 0;       // of matrix products
  double attention_flops = 0;  // of Q K^T and P V, causal: half the square
  double bytes = 0;            // that everything else reads and writes
};

// One kind of collective over a step on one rank.
struct CommWork {
  std::string op;         // "all_reduce", ...
  int64_t calls = 0;      // a step
  double bytes = 0;       // that the rank sends in a step
  double tail_bytes = 0;  // of the last bucket, which nothing can hide
};

struct StepWork {
  int64_t micro_batches = 0;
  double gemm_width = 0;  // the inner size that most products share
  PassWork forward;
  PassWork backward;
  double optimizer_bytes = 0;    // of a step
  std::vector<CommWork> reduce;  // gradients: under the backward pass
  std::vector<CommWork> gather;  // parameters: under the next forward pass
  bool reduces_each = false;     // after each micro-batch
  bool overlap = false;
};

// The work of a rank of WORLD_SIZE. The global batch is taken from CONFIG;
// micro_batches is 0 where it does not divide.
StepWork WorkOf(const RunConfig& config, int world_size);

}  // namespace zs

#endif  // RUNNER_PREDICT_WORK_H_
