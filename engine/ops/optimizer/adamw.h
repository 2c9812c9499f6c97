// AdamW and the gradient norm on CPUs; meaning in engine/ops/op_types.h.
#ifndef ENGINE_OPS_OPTIMIZER_ADAMW_H_
#define ENGINE_OPS_OPTIMIZER_ADAMW_H_

#include <cstdint>

#include "engine/ops/cpu/cpu_context.h"
#include "engine/ops/op_types.h"

namespace zs {

// One step over RANGE. An element's result depends on that element alone, so
// that any cut into ranges gives the same bits.
void AdamW(CpuContext& cpu, const AdamWStep& step, const AdamWRange& range);

// Sum of squares of SIZE elements in double precision, in an order that depends
// on SIZE alone.
double SquaredNorm(CpuContext& cpu, const float* x, int64_t size);

// Of PARTS {ranks, each}, in this order; see Ops::SumStep.
StepSums SumStep(const double* parts, int ranks, int64_t each, double max_norm);

}  // namespace zs

#endif  // ENGINE_OPS_OPTIMIZER_ADAMW_H_
