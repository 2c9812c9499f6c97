// Timings of single operators on the shapes of whole models.
#ifndef TESTS_GPU_BENCH_H_
#define TESTS_GPU_BENCH_H_

#include <cudnn.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/cuda/blas/gemm.h"
#include "engine/cuda/kernels/types.h"
#include "engine/cuda/memory.h"

namespace zs::gpu {

// What a call moves at least (each input read once, each output written once)
// or computes; one of the two is 0.
struct Cost {
  double bytes = 0;
  double flops = 0;
};

// Times calls and prints a line for each. The first error ends the program.
class Bench {
 public:
  static std::unique_ptr<Bench> Create(const std::string& gemm_cache);

  cudaStream_t stream() const { return stream_.get(); }
  cudnnHandle_t cudnn() const { return cudnn_; }
  Gemms& gemms() const { return *gemms_; }

  // Device memory with random contents, valid until Clear().
  Bf16* Bf16s(int64_t count);
  float* Floats(int64_t count);
  // Integers in [0, below).
  int32_t* Integers(int64_t count, int32_t below);
  void* Bytes(int64_t bytes);
  void Clear();

  // The median of CALL's times; PER_STEP such calls are part of one training
  // step of the model that runs.
  void Time(const std::string& name, Cost cost, double per_step,
            const std::function<Status()>& call);

  // Begins a model's list; EndModel prints what one step's calls take together
  // and the tokens/s that would give if nothing else took time.
  void BeginModel(const std::string& name, int64_t tokens);
  void EndModel();

  ~Bench();

 private:
  Bench() = default;
  float Median(const std::function<Status()>& call);

  Stream stream_;
  Event begin_;
  Event end_;
  cudnnHandle_t cudnn_ = nullptr;
  std::unique_ptr<Gemms> gemms_;
  std::vector<DeviceBuffer> memory_;
  uint64_t seed_ = 1;
  std::string model_;
  int64_t tokens_ = 0;
  double step_ms_ = 0;
};

// Ends the program with a message unless STATUS is OK.
void OrDie(const Status& status);

}  // namespace zs::gpu

#endif  // TESTS_GPU_BENCH_H_
