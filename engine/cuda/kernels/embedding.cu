#include <cub/device/device_radix_sort.cuh>

#include <algorithm>

#include "engine/cuda/check.h"
#include "engine/cuda/kernels/embedding.h"
#include "engine/cuda/kernels/vec.cuh"

namespace zs::gpu {
namespace {

constexpr int kBlock = 128;  // threads side by side in a row
constexpr int kAhead = 4;    // rows in flight

__device__ const __nv_bfloat16* RowOf(const Bf16* p, int64_t row,
                                      int64_t width) {
  return reinterpret_cast<const __nv_bfloat16*>(p) + row * width;
}

template <bool kAligned>
__global__ void __launch_bounds__(kBlock) EmbeddingKernel(Embedding args) {
  const int64_t column = (int64_t{blockIdx.y} * kBlock + threadIdx.x) * kVec;
  const int64_t row = blockIdx.x;
  const int64_t width = args.width;
  uint4 raw = LoadRow<kAligned>(RowOf(args.table, args.tokens[row], width),
                                column, width);
  if (args.positions != nullptr) {
    float a[kVec], b[kVec];
    Unpack(raw, a);
    Unpack(LoadRow<kAligned>(RowOf(args.positions, row % args.seq_len, width),
                             column, width),
           b);
#pragma unroll
    for (int i = 0; i < kVec; ++i) {
      a[i] += b[i];
    }
    raw = Pack(a);
  }
  StoreRow<kAligned>(reinterpret_cast<__nv_bfloat16*>(args.y) + row * width,
                     column, width, raw);
}

__global__ void CountKernel(int32_t* out, int64_t size) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) {
    out[i] = static_cast<int32_t>(i);
  }
}

template <typename T>
__device__ void AddTo(const Grad& grad, int64_t first, int64_t count,
                      const float (&sum)[kVec]) {
  T* const out = static_cast<T*>(grad.data) + first;
#pragma unroll
  for (int i = 0; i < kVec; ++i) {
    if (i < count) {
      const float before = grad.accumulate ? static_cast<float>(out[i]) : 0.0f;
      out[i] = static_cast<T>(before + sum[i]);
    }
  }
}

// SORTED: the tokens in order; ROWS: where they stood (rows of one token in
// their own order). The block of a token's first place sums all of them.
template <typename T, bool kAligned>
__global__ void __launch_bounds__(kBlock)
    TableGradientKernel(EmbeddingBackward args, const int32_t* sorted,
                        const int32_t* rows) {
  const int64_t place = blockIdx.x;
  const int32_t token = sorted[place];
  const int64_t column = (int64_t{blockIdx.y} * kBlock + threadIdx.x) * kVec;
  if ((place > 0 && sorted[place - 1] == token) || column >= args.width) {
    return;
  }
  float sum[kVec] = {};
  for (int64_t at = place; at < args.rows && sorted[at] == token;
       at += kAhead) {
    uint4 raw[kAhead];
#pragma unroll
    for (int j = 0; j < kAhead; ++j) {
      const bool same = at + j < args.rows && sorted[at + j] == token;
      raw[j] = same
                   ? LoadRow<kAligned>(RowOf(args.dy, rows[at + j], args.width),
                                       column, args.width)
                   : make_uint4(0, 0, 0, 0);
    }
#pragma unroll
    for (int j = 0; j < kAhead; ++j) {
      float x[kVec];
      Unpack(raw[j], x);
#pragma unroll
      for (int i = 0; i < kVec; ++i) {
        sum[i] += x[i];
      }
    }
  }
  AddTo<T>(args.d_table, token * args.width + column, args.width - column, sum);
}

template <typename T, bool kAligned>
__global__ void __launch_bounds__(kBlock)
    PositionGradientKernel(EmbeddingBackward args) {
  const int64_t column = (int64_t{blockIdx.y} * kBlock + threadIdx.x) * kVec;
  if (column >= args.width) {
    return;
  }
  float sum[kVec] = {};
#pragma unroll 4
  for (int64_t row = blockIdx.x; row < args.rows; row += args.seq_len) {
    float x[kVec];
    Unpack(
        LoadRow<kAligned>(RowOf(args.dy, row, args.width), column, args.width),
        x);
#pragma unroll
    for (int i = 0; i < kVec; ++i) {
      sum[i] += x[i];
    }
  }
  AddTo<T>(args.d_positions, blockIdx.x * args.width + column,
           args.width - column, sum);
}

dim3 Grid(int64_t rows, int64_t width) {
  return dim3(static_cast<unsigned>(rows),
              static_cast<unsigned>(CeilDiv(width, kBlock * kVec)));
}

// The parts of the scratch memory.
struct Scratch {
  int32_t* sorted;
  int32_t* counted;  // 0, 1, 2, ...
  int32_t* rows;
  void* sort;  // what the sort itself needs
  size_t sort_bytes;
};

int64_t Padded(int64_t rows) {
  return CeilDiv(rows, 64) * 64;
}

Scratch Split(void* scratch, int64_t rows, size_t sort_bytes) {
  auto* words = static_cast<int32_t*>(scratch);
  const int64_t padded = Padded(rows);
  return {words, words + padded, words + 2 * padded, words + 3 * padded,
          sort_bytes};
}

// With scratch.sort null, only sets scratch.sort_bytes.
cudaError_t Sort(const int32_t* tokens, int64_t rows, Scratch& scratch,
                 int bits, cudaStream_t stream) {
  return cub::DeviceRadixSort::SortPairs(
      scratch.sort, scratch.sort_bytes, tokens, scratch.sorted, scratch.counted,
      scratch.rows, static_cast<int>(rows), 0, bits, stream);
}

template <typename T, bool kAligned>
Status LaunchSums(const EmbeddingBackward& args, const Scratch& scratch,
                  cudaStream_t stream) {
  TableGradientKernel<T, kAligned>
      <<<Grid(args.rows, args.width), kBlock, 0, stream>>>(args, scratch.sorted,
                                                           scratch.rows);
  RETURN_IF_ERROR(LaunchStatus("embedding gradient"));
  if (args.d_positions.data == nullptr) {
    return OkStatus();
  }
  const int64_t positions = std::min(args.rows, args.seq_len);
  PositionGradientKernel<T, kAligned>
      <<<Grid(positions, args.width), kBlock, 0, stream>>>(args);
  return LaunchStatus("position gradient");
}

}  // namespace

Status LaunchEmbedding(const Embedding& args, cudaStream_t stream) {
  if (args.rows == 0) {
    return OkStatus();
  }
  const dim3 grid = Grid(args.rows, args.width);
  if (args.width % kVec == 0 && IsAligned(args.table) &&
      IsAligned(args.positions) && IsAligned(args.y)) {
    EmbeddingKernel<true><<<grid, kBlock, 0, stream>>>(args);
  } else {
    EmbeddingKernel<false><<<grid, kBlock, 0, stream>>>(args);
  }
  return LaunchStatus("embedding");
}

Status LaunchEmbeddingBackward(const EmbeddingBackward& args,
                               cudaStream_t stream) {
  if (args.rows == 0) {
    return OkStatus();
  }
  int bits = 1;
  while (bits < 31 && (int64_t{1} << bits) < args.vocab) {
    ++bits;
  }
  ASSIGN_OR_RETURN(const size_t bytes, EmbeddingBackwardScratch(args.rows));
  Scratch scratch =
      Split(args.scratch, args.rows, bytes - 3 * 4 * Padded(args.rows));
  CountKernel<<<static_cast<unsigned>(CeilDiv(args.rows, 256)), 256, 0,
                stream>>>(scratch.counted, args.rows);
  RETURN_IF_ERROR(LaunchStatus("count"));
  ZS_RETURN_IF_CUDA_ERROR(Sort(args.tokens, args.rows, scratch, bits, stream));
  const bool aligned = args.width % kVec == 0 && IsAligned(args.dy);
  if (args.d_table.type == DType::kF32) {
    return aligned ? LaunchSums<float, true>(args, scratch, stream)
                   : LaunchSums<float, false>(args, scratch, stream);
  }
  return aligned ? LaunchSums<__nv_bfloat16, true>(args, scratch, stream)
                 : LaunchSums<__nv_bfloat16, false>(args, scratch, stream);
}

Result<size_t> EmbeddingBackwardScratch(int64_t rows) {
  Scratch scratch = {};
  ZS_RETURN_IF_CUDA_ERROR(Sort(nullptr, rows, scratch, 31, nullptr));
  return scratch.sort_bytes + 3 * 4 * Padded(rows);
}

}  // namespace zs::gpu
