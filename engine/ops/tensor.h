// Views on matrices in a device's memory.
#ifndef ENGINE_OPS_TENSOR_H_
#define ENGINE_OPS_TENSOR_H_

#include <cstddef>
#include <cstdint>

namespace zs {

enum class DType : uint8_t {
  kF32,   // IEEE single precision
  kBF16,  // the upper half of a single; activations and weights on GPUs
};

inline int64_t SizeOf(DType dtype) {
  return dtype == DType::kF32 ? 4 : 2;
}

// A view on a row-major matrix {rows, cols} whose rows lie `stride` elements
// apart. A vector is a matrix of one row. Copied freely; owns nothing; a null
// `data` means "absent" where an operator allows that. Like std::span, a const
// view does not make its elements const.
struct Tensor {
  void* data = nullptr;
  DType dtype = DType::kF32;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t stride = 0;

  bool present() const { return data != nullptr; }
  float* f32() const { return static_cast<float*>(data); }
  float* row(int64_t r) const { return f32() + r * stride; }
};

// A view on {rows, cols} contiguous elements from DATA on. DATA may be const:
// an operator writes only to what it documents as output.
inline Tensor View(const void* data, int64_t rows, int64_t cols,
                   DType dtype = DType::kF32) {
  return {const_cast<void*>(data), dtype, rows, cols, cols};
}

// Rows [begin, begin + count) of T.
inline Tensor Rows(const Tensor& t, int64_t begin, int64_t count) {
  std::byte* data = static_cast<std::byte*>(t.data);
  return {data + begin * t.stride * SizeOf(t.dtype), t.dtype, count, t.cols,
          t.stride};
}

// Columns [begin, begin + count) of T.
inline Tensor Columns(const Tensor& t, int64_t begin, int64_t count) {
  std::byte* data = static_cast<std::byte*>(t.data);
  return {data + begin * SizeOf(t.dtype), t.dtype, t.rows, count, t.stride};
}

}  // namespace zs

#endif  // ENGINE_OPS_TENSOR_H_
