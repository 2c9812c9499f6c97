// Parameters and gradients of a whole model in two plain arrays: what a single
// process needs, and tests.
#ifndef ENGINE_MODEL_FLAT_HOOKS_H_
#define ENGINE_MODEL_FLAT_HOOKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/api/layout.h"
#include "engine/model/unit_hooks.h"

namespace zs {

// Units lie one after the other without padding. Records the calls.
class FlatHooks : public UnitHooks {
 public:
  explicit FlatHooks(const ModelConfig& model) {
    for (const Unit& unit : Layout(model)) {
      offsets_.push_back(size_);
      size_ += unit.size;
    }
    parameters.resize(size_);
    gradients.resize(size_);
  }

  Result<const void*> Parameters(int unit) override {
    calls.push_back("parameters " + std::to_string(unit));
    return static_cast<const void*>(parameters.data() + offsets_[unit]);
  }
  Result<UnitGradients> Gradients(int unit) override {
    calls.push_back("open " + std::to_string(unit));
    return UnitGradients{gradients.data() + offsets_[unit], add};
  }
  Status GradientsDone(int unit) override {
    calls.push_back("done " + std::to_string(unit));
    return OkStatus();
  }

  // First element of UNIT.
  int64_t offset(int unit) const { return offsets_[unit]; }
  int units() const { return static_cast<int>(offsets_.size()); }

  std::vector<float> parameters;
  std::vector<float> gradients;
  bool add = true;                 // to `gradients`
  std::vector<std::string> calls;  // "parameters 0", "open 3", "done 3", ...

 private:
  std::vector<int64_t> offsets_;
  int64_t size_ = 0;
};

}  // namespace zs

#endif  // ENGINE_MODEL_FLAT_HOOKS_H_
