#include <algorithm>
#include <cstring>

#include "engine/ops/cpu/blas.h"
#include "engine/ops/layers/linear.h"

namespace zs {
namespace {

// y = bias + residual, to which the product is then added.
void FillAddends(CpuContext& cpu, const LinearAddends& addends,
                 const Tensor& y) {
  const Tensor &bias = addends.bias, &residual = addends.residual;
  cpu.pool.For(y.rows, kRowBlock, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      if (bias.present() && residual.present()) {
        cpu.kernels.sum(bias.f32(), residual.row(r), y.row(r), y.cols);
      } else {
        std::memcpy(y.row(r), bias.present() ? bias.f32() : residual.row(r),
                    static_cast<size_t>(y.cols) * sizeof(float));
      }
    }
  });
}

void AddColumnSums(CpuContext& cpu, const Tensor& dy, float* sums) {
  cpu.pool.For(dy.cols, kColumnStrip, [&](int64_t begin, int64_t end) {
    for (int64_t r = 0; r < dy.rows; ++r) {
      cpu.kernels.add(dy.row(r) + begin, sums + begin, end - begin);
    }
  });
}

}  // namespace

void Linear(CpuContext& cpu, const Tensor& x, const Tensor& w,
            const LinearAddends& addends, const Tensor& y) {
  const bool adds = addends.bias.present() || addends.residual.present();
  if (adds) {
    FillAddends(cpu, addends, y);
  }
  Multiply({.b_transposed = true,
            .m = x.rows,
            .n = w.rows,
            .k = w.cols,
            .a = x.f32(),
            .a_stride = x.stride,
            .b = w.f32(),
            .b_stride = w.stride,
            .c = y.f32(),
            .c_stride = y.stride,
            .beta = adds ? 1.0f : 0.0f},
           cpu.pool);
}

void LinearBackwardInput(CpuContext& cpu, const Tensor& dy, const Tensor& w,
                         const Tensor& dx) {
  Multiply({.m = dy.rows,
            .n = w.cols,
            .k = w.rows,
            .a = dy.f32(),
            .a_stride = dy.stride,
            .b = w.f32(),
            .b_stride = w.stride,
            .c = dx.f32(),
            .c_stride = dx.stride},
           cpu.pool);
}

void LinearBackwardWeight(CpuContext& cpu, const Tensor& dy, const Tensor& x,
                          const Tensor& dw, const Tensor& dbias) {
  Multiply({.a_transposed = true,
            .m = dw.rows,
            .n = dw.cols,
            .k = dy.rows,
            .a = dy.f32(),
            .a_stride = dy.stride,
            .b = x.f32(),
            .b_stride = x.stride,
            .c = dw.f32(),
            .c_stride = dw.stride,
            .beta = 1},
           cpu.pool);
  if (dbias.present()) {
    AddColumnSums(cpu, dy, dbias.f32());
  }
}

}  // namespace zs
