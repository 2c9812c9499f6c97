// Scratch memory of the CPU operators.
#ifndef ENGINE_OPS_CPU_WORKSPACE_H_
#define ENGINE_OPS_CPU_WORKSPACE_H_

#include <cstdint>
#include <memory>
#include <new>

namespace zs {

// One buffer that grows to what the most demanding operator asked for. Each
// operator takes it anew: contents do not last from one to the next.
class Workspace {
 public:
  // SIZE floats, contents unspecified, aligned to 64 bytes; valid until the
  // next call.
  float* Take(int64_t size) {
    if (size > size_) {
      data_.reset();
      data_.reset(static_cast<float*>(::operator new (
          static_cast<size_t>(size) * sizeof(float), std::align_val_t{64})));
      size_ = size;
    }
    return data_.get();
  }

  int64_t bytes() const { return size_ * static_cast<int64_t>(sizeof(float)); }

 private:
  struct Delete {
    void operator()(float* p) const {
      ::operator delete (p, std::align_val_t{64});
    }
  };
  std::unique_ptr<float, Delete> data_;
  int64_t size_ = 0;
};

}  // namespace zs

#endif  // ENGINE_OPS_CPU_WORKSPACE_H_
