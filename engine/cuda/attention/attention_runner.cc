#include "engine/cuda/attention/attention_runner.h"

#include <cstdint>
#include <utility>

#include "engine/cuda/attention/flash_attention.h"

namespace zs::gpu {
namespace {

constexpr int64_t kVector = 8;  // bf16 elements of 16 bytes
constexpr uintptr_t kAlignment = 16;

template <typename... T>
bool AllAligned(const T*... pointers) {
  return ((reinterpret_cast<uintptr_t>(pointers) % kAlignment == 0) && ...);
}

// Whether cuDNN can read the matrices of a pass: rows of whole 16 bytes.
bool WholeVectors(const AttentionLayout& layout) {
  const AttentionStrides& s = layout.strides;
  for (const int64_t size : {layout.sizes.head_size, s.q, s.k, s.v, s.out,
                             s.dout, s.dq, s.dk, s.dv}) {
    if (size % kVector != 0) {
      return false;
    }
  }
  return true;
}

bool IsAligned(const AttentionForwardData& data) {
  return AllAligned(data.q, data.k, data.v, data.out, data.lse);
}

bool IsAligned(const AttentionBackwardData& data) {
  return IsAligned(data.forward) &&
         AllAligned(data.dout, data.dq, data.dk, data.dv);
}

std::string NameOf(const AttentionSizes& s) {
  return "batch=" + std::to_string(s.batch) +
         " seq_len=" + std::to_string(s.seq_len) +
         " heads=" + std::to_string(s.heads) + "/" +
         std::to_string(s.kv_heads) +
         " head_size=" + std::to_string(s.head_size);
}

}  // namespace

Result<std::unique_ptr<AttentionRunner>> AttentionRunner::Create(
    bool deterministic, cudaStream_t stream) {
  auto runner = std::make_unique<AttentionRunner>();
  runner->deterministic_ = deterministic;
  runner->stream_ = stream;
  cudnnHandle_t handle = nullptr;
  RETURN_IF_ERROR(ToStatus(cudnnCreate(&handle), "set up"));
  runner->handle_.reset(handle);
  RETURN_IF_ERROR(ToStatus(cudnnSetStream(handle, stream), "set the stream"));
  return runner;
}

template <typename T>
Result<const T*> AttentionRunner::Remember(const AttentionLayout& layout,
                                           Result<T> made, const char* pass,
                                           Plans<T>& plans) {
  std::optional<T>& slot = plans[layout];
  notes_ += std::string("attention ") + pass + " " + NameOf(layout.sizes);
  if (made.ok()) {
    slot = std::move(made).value();
    notes_ += ": cuDNN engine " + std::to_string(slot->plan().engine()) + "\n";
    return &*slot;
  }
  if (made.status().code() == StatusCode::kUnimplemented) {
    notes_ += ": own kernels (" + made.status().message() + ")\n";
    return static_cast<const T*>(nullptr);
  }
  return made.status();
}

Result<const CudnnAttentionForward*> AttentionRunner::ForwardPlan(
    const AttentionLayout& layout) {
  const auto found = forward_.find(layout);
  if (found != forward_.end()) {
    return found->second ? &*found->second : nullptr;
  }
  return Remember(
      layout, CudnnAttentionForward::Create(layout, {.handle = handle_.get()}),
      "forward", forward_);
}

Result<const CudnnAttentionBackward*> AttentionRunner::BackwardPlan(
    const AttentionLayout& layout) {
  const auto found = backward_.find(layout);
  if (found != backward_.end()) {
    return found->second ? &*found->second : nullptr;
  }
  return Remember(layout,
                  CudnnAttentionBackward::Create(layout, deterministic_,
                                                 {.handle = handle_.get()}),
                  "backward", backward_);
}

Status AttentionRunner::Forward(const AttentionLayout& layout,
                                const AttentionForwardData& data,
                                DeviceBuffer& workspace) {
  if (WholeVectors(layout) && IsAligned(data)) {
    ASSIGN_OR_RETURN(const CudnnAttentionForward* plan, ForwardPlan(layout));
    if (plan != nullptr) {
      RETURN_IF_ERROR(
          workspace.Grow(plan->workspace_bytes(), "attention's workspace"));
      return plan->Run(handle_.get(), data, workspace.data());
    }
  }
  return LaunchFlashForward(layout, data, stream_);
}

Status AttentionRunner::Backward(const AttentionLayout& layout,
                                 const AttentionBackwardData& data,
                                 DeviceBuffer& workspace) {
  if (WholeVectors(layout) && IsAligned(data)) {
    ASSIGN_OR_RETURN(const CudnnAttentionBackward* plan, BackwardPlan(layout));
    if (plan != nullptr) {
      RETURN_IF_ERROR(
          workspace.Grow(plan->workspace_bytes(), "attention's workspace"));
      return plan->Run(handle_.get(), data, workspace.data());
    }
  }
  RETURN_IF_ERROR(workspace.Grow(FlashScratch(layout.sizes) * sizeof(float),
                                 "attention's workspace"));
  return LaunchFlashBackward(layout, data, workspace.as<float>(), stream_);
}

}  // namespace zs::gpu
