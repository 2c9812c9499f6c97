// The kernels of one instruction set, as functions of the namespace ZS_ISA;
// kernels.h says what each does.
#ifndef ENGINE_OPS_CPU_KERNELS_TABLE_H_
#define ENGINE_OPS_CPU_KERNELS_TABLE_H_

#include "engine/ops/cpu/kernels/kernels.h"

#ifndef ZS_ISA
#error "compile this file through isa_library"
#endif

namespace zs::ZS_ISA {

void ExpRange(const float* x, float* y, int64_t n);
void Gelu(const float* x, float* y, int64_t n);
void GeluBackward(const float* x, const float* dy, float* dx, int64_t n);
void SwiGlu(const float* gate, const float* up, float* y, int64_t n);
void SwiGluBackward(const float* gate_up, const float* dy, float* d_gate_up,
                    int64_t n);

void Add(const float* x, float* y, int64_t n);
void SumOf(const float* x, const float* y, float* z, int64_t n);
float Dot(const float* x, const float* y, int64_t n);
double SquaredNorm(const float* x, int64_t n);

void LayerNorm(const float* x, const float* gain, const float* bias, float eps,
               float* y_then_stats[2], int64_t n);
void RmsNorm(const float* x, const float* gain, float eps, float* y,
             float* rstd, int64_t n);
void LayerNormBackward(const NormRowBackward& row);
void RmsNormBackward(const NormRowBackward& row);
void Rotate(const float* x, const float* cos_then_sin[2], float sign, float* y,
            int64_t half);

float Softmax(float* x, int64_t n);
void SoftmaxBackward(float* p, float* dp, const float lse_delta_scale[3],
                     int64_t n);
float CrossEntropy(float* x, int64_t n, int64_t target, float scale);

void AdamW(const AdamWConstants& constants, const float* gradients,
           float* parameters, float* m, float* v, int64_t n);

}  // namespace zs::ZS_ISA

#endif  // ENGINE_OPS_CPU_KERNELS_TABLE_H_
