// Products with an activation in their epilogue.
#include <algorithm>
#include <vector>

#include "engine/cuda/cuda_ops_impl.h"

namespace zs::gpu {
namespace {

constexpr int kTrials = 9;

float Middle(std::vector<float> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

// Both in turn, so that they meet the same clocks. Both write the same outputs
// from the same inputs, however often.
Result<bool> CudaOpsImpl::IsFaster(const std::function<Status()>& fused,
                                   const std::function<void()>& plain) {
  const Status possible = fused();  // chooses its algorithm
  if (possible.code() == StatusCode::kUnimplemented) {
    return false;
  }
  RETURN_IF_ERROR(possible);
  plain();
  std::vector<float> fused_ms;
  std::vector<float> plain_ms;
  for (int i = 0; i < kTrials; ++i) {
    const int64_t begin = Mark();
    RETURN_IF_ERROR(fused());
    const int64_t middle = Mark();
    plain();
    const int64_t end = Mark();
    fused_ms.push_back(static_cast<float>(MsBetween(begin, middle)));
    plain_ms.push_back(static_cast<float>(MsBetween(middle, end)));
  }
  return Middle(fused_ms) < Middle(plain_ms);
}

void CudaOpsImpl::RunFaster(const GemmShape& shape,
                            const std::function<Status()>& fused,
                            const std::function<void()>& plain) {
  if (deterministic_) {
    plain();
    return;
  }
  const auto known = fused_.find(shape);
  if (known == fused_.end()) {
    const Result<bool> faster = IsFaster(fused, plain);
    Keep(faster.status());
    fused_.emplace(shape, faster.ok() && *faster);
    if (faster.ok() && *faster) {
      Keep(fused());
    } else {
      plain();
    }
    return;
  }
  if (known->second) {
    Keep(fused());
  } else {
    plain();
  }
}

void CudaOpsImpl::LinearGelu(const Tensor& x, const Tensor& w,
                             const Tensor& bias, const Tensor& pre,
                             const Tensor& y) {
  GemmShape shape = ForwardShape(x.rows, x.cols, w.rows);
  shape.a_stride = x.stride;
  shape.b_stride = w.stride;
  shape.d_stride = y.stride;
  shape.epilogue = bias.present() ? Epilogue::kGeluBias : Epilogue::kGelu;
  const GemmData data = {.a = Data(x),
                         .b = Data(w),
                         .d = y.data,
                         .bias = Data(bias),
                         .aux = Data(pre)};
  RunFaster(
      shape, [&] { return gemms_->Run(shape, data, stream()); },
      [&] {
        Linear(x, w, bias, {}, pre);
        Gelu(pre, y);
      });
}

void CudaOpsImpl::LinearBackwardInputGelu(const Tensor& dy, const Tensor& w,
                                          const Tensor& pre,
                                          const Tensor& dy_pre,
                                          const Tensor& dpre) {
  GemmShape shape = InputGradShape(dy.rows, w.cols, w.rows);
  shape.a_stride = dy.stride;
  shape.b_stride = w.stride;
  shape.d_stride = dpre.stride;
  shape.epilogue = Epilogue::kDGelu;
  const GemmData data = {
      .a = Data(dy), .b = Data(w), .d = dpre.data, .aux = Data(pre)};
  RunFaster(
      shape, [&] { return gemms_->Run(shape, data, stream()); },
      [&] {
        LinearBackwardInput(dy, w, dy_pre);
        GeluBackward(pre, dy_pre, dpre);
      });
}

}  // namespace zs::gpu
