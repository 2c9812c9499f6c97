#include "engine/ops/layers/activation.h"

namespace zs {
namespace {

// body(row) for all ROWS, a few at a time: rows are wide.
template <typename Body>
void ForRows(CpuContext& cpu, int64_t rows, const Body& body) {
  cpu.pool.For(rows, kRowBlock / 8, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      body(r);
    }
  });
}

}  // namespace

void Gelu(CpuContext& cpu, const Tensor& x, const Tensor& y) {
  ForRows(cpu, y.rows,
          [&](int64_t r) { cpu.kernels.gelu(x.row(r), y.row(r), y.cols); });
}

void GeluBackward(CpuContext& cpu, const Tensor& x, const Tensor& dy,
                  const Tensor& dx) {
  ForRows(cpu, dx.rows, [&](int64_t r) {
    cpu.kernels.gelu_backward(x.row(r), dy.row(r), dx.row(r), dx.cols);
  });
}

void SwiGlu(CpuContext& cpu, const Tensor& gate_up, const Tensor& y) {
  ForRows(cpu, y.rows, [&](int64_t r) {
    const float* gate = gate_up.row(r);
    cpu.kernels.swiglu(gate, gate + y.cols, y.row(r), y.cols);
  });
}

void SwiGluBackward(CpuContext& cpu, const Tensor& gate_up, const Tensor& dy,
                    const Tensor& d_gate_up) {
  ForRows(cpu, dy.rows, [&](int64_t r) {
    cpu.kernels.swiglu_backward(gate_up.row(r), dy.row(r), d_gate_up.row(r),
                                dy.cols);
  });
}

}  // namespace zs
