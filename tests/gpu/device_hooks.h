// What a decoder computes with on a GPU in tests.
#ifndef TESTS_GPU_DEVICE_HOOKS_H_
#define TESTS_GPU_DEVICE_HOOKS_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "engine/api/layout.h"
#include "engine/api/run_config.h"
#include "engine/model/flat_hooks.h"
#include "engine/model/unit_hooks.h"
#include "engine/ops/ops.h"

namespace zs::gpu {

inline constexpr int64_t kUnitAlignment = 64;  // elements

// Parameters in bf16 and gradients in fp32 in the memory of a GPU.
class DeviceHooks final : public UnitHooks {
 public:
  DeviceHooks(Ops& ops, const ModelConfig& model, FlatHooks& flat)
      : ops_(ops), units_(Layout(model)) {
    for (const Unit& unit : units_) {
      offsets_.push_back(size_);
      size_ +=
          (unit.size + kUnitAlignment - 1) / kUnitAlignment * kUnitAlignment;
    }
    weights_ = Allocate(2);
    gradients_ = static_cast<float*>(Allocate(4));
    for (size_t u = 0; u < units_.size(); ++u) {
      Load(u, flat);
    }
    Clear();
  }
  ~DeviceHooks() override {
    ops_.Free(weights_);
    ops_.Free(gradients_);
  }

  // From now on gradients are added to zeros.
  void Clear() {
    ops_.Zero(View(gradients_, 1, size_));
    add_ = true;
  }
  // From now on gradients overwrite what is there: no numbers.
  void Poison() {
    const std::vector<float> values(size_, std::nanf(""));
    ops_.Upload(values.data(), gradients_, size_ * 4);
    add_ = false;
  }

  Result<const void*> Parameters(int unit) override {
    return static_cast<const void*>(static_cast<char*>(weights_) +
                                    2 * offsets_[unit]);
  }
  Result<UnitGradients> Gradients(int unit) override {
    return UnitGradients{gradients_ + offsets_[unit], add_};
  }
  Status GradientsDone(int) override { return OkStatus(); }

  // The gradient of a parameter.
  std::vector<double> Read(int unit, const Parameter& p) {
    std::vector<float> values(p.size);
    const Status status = ops_.Download(gradients_ + offsets_[unit] + p.offset,
                                        values.data(), p.size * 4);
    return status.ok() ? std::vector<double>(values.begin(), values.end())
                       : std::vector<double>();
  }

 private:
  void* Allocate(int64_t element_bytes) {
    Result<void*> data = ops_.Allocate(size_ * element_bytes);
    return data.ok() ? *data : nullptr;
  }
  void Load(size_t u, FlatHooks& flat) {
    const int64_t size = units_[u].size;
    Result<void*> wide = ops_.Allocate(size * 4);
    if (!wide.ok()) {
      return;
    }
    ops_.Upload(&flat.parameters[flat.offset(static_cast<int>(u))], *wide,
                size * 4);
    ops_.Convert(View(*wide, 1, size),
                 View(static_cast<char*>(weights_) + 2 * offsets_[u], 1, size,
                      DType::kBF16));
    ops_.Free(*wide);
  }

  Ops& ops_;
  const std::vector<Unit> units_;
  std::vector<int64_t> offsets_;
  int64_t size_ = 0;
  void* weights_ = nullptr;
  float* gradients_ = nullptr;
  bool add_ = true;  // to gradients_
};

}  // namespace zs::gpu

#endif  // TESTS_GPU_DEVICE_HOOKS_H_
