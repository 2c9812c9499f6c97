#include <algorithm>

#include "engine/cuda/check.h"
#include "engine/cuda/kernels/pattern.h"

namespace zs::gpu {
namespace {

constexpr int kBlock = 256;

__device__ float Expected(const PatternRange& args, int64_t i) {
  return __ldg(args.table + (args.first + i) % args.period);
}

__global__ void FillKernel(PatternRange args) {
  const int64_t step = int64_t{gridDim.x} * kBlock;
  for (int64_t i = int64_t{blockIdx.x} * kBlock + threadIdx.x; i < args.count;
       i += step) {
    args.data[i] = Expected(args, i);
  }
}

__global__ void CountKernel(PatternRange args, unsigned long long* wrong) {
  const int64_t step = int64_t{gridDim.x} * kBlock;
  unsigned long long mine = 0;
  for (int64_t i = int64_t{blockIdx.x} * kBlock + threadIdx.x; i < args.count;
       i += step) {
    mine += args.data[i] == Expected(args, i) ? 0 : 1;
  }
  if (mine != 0) {
    atomicAdd(wrong, mine);
  }
}

unsigned GridOf(int64_t count) {
  const int64_t blocks = (count + kBlock - 1) / kBlock;
  return static_cast<unsigned>(std::min<int64_t>(blocks, 4096));
}

}  // namespace

Status LaunchFillPattern(const PatternRange& args, cudaStream_t stream) {
  if (args.count == 0) {
    return OkStatus();
  }
  FillKernel<<<GridOf(args.count), kBlock, 0, stream>>>(args);
  return LaunchStatus("fill a pattern");
}

Status LaunchCountWrong(const PatternRange& args, unsigned long long* wrong,
                        cudaStream_t stream) {
  if (args.count == 0) {
    return OkStatus();
  }
  CountKernel<<<GridOf(args.count), kBlock, 0, stream>>>(args, wrong);
  return LaunchStatus("compare with a pattern");
}

}  // namespace zs::gpu
