// What the GPU tests share: random data, device memory whose bounds are
// watched, and comparisons with references in double precision.
#ifndef TESTS_GPU_SUITE_H_
#define TESTS_GPU_SUITE_H_

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/cuda/kernels/types.h"
#include "engine/cuda/memory.h"

namespace zs::gpu {

float ToFloat(Bf16 x);
// Rounds to nearest, ties to even.
Bf16 ToBf16(float x);

// How far a result may lie from its reference: `norm` bounds |out - ref|_2 /
// |ref|_2; `element` bounds |out - ref| / (|ref| + rms(ref)) of each element.
struct Tolerance {
  double norm;
  double element;
};
// One rounding to bf16 costs at most 2^-9 of each element.
// 2^-8 is half a bf16's last place where its significand is 1: the most that
// rounding changes a single element.
constexpr Tolerance kBf16Close = {4e-3, 2e-2};
constexpr Tolerance kF32Close = {2e-5, 2e-4};
constexpr Tolerance kExact = {0, 0};

// Runs cases one after the other and counts. Not thread-safe.
class Suite {
 public:
  explicit Suite(std::string filter) : filter_(std::move(filter)) {}

  Status Start();
  cudaStream_t stream() const { return stream_.get(); }

  // Whether NAME is to be run; begins it: memory of the case before is checked
  // and given back.
  bool Begin(const std::string& name);

  // Random numbers about zero that bf16 holds exactly.
  std::vector<float> Noise(int64_t count, float scale = 1.0f);
  std::vector<int32_t> Integers(int64_t count, int32_t below);

  // Device memory with these values, or with NaNs, valid until the next Begin.
  Bf16* Upload(const std::vector<float>& values);
  float* UploadF32(const std::vector<float>& values);
  double* UploadF64(const std::vector<double>& values);
  int32_t* UploadInts(const std::vector<int32_t>& values);
  Bf16* Poisoned(int64_t count);
  float* PoisonedF32(int64_t count);
  double* PoisonedF64(int64_t count);
  void* Scratch(int64_t bytes);

  std::vector<double> Read(const Bf16* data, int64_t count);
  std::vector<double> ReadF32(const float* data, int64_t count);
  std::vector<double> ReadF64(const double* data, int64_t count);
  std::vector<uint8_t> ReadBytes(const void* data, int64_t bytes);

  // Records one check of the case that runs.
  void Expect(const Status& status, const std::string& what);
  void Compare(const std::string& what, const std::vector<double>& out,
               const std::vector<double>& reference, Tolerance tolerance);
  void Note(bool ok, const std::string& what, const std::string& detail);

  // Ends the last case; prints "N passed, N failed". 0 if all passed.
  int Finish();

 private:
  void* Allocate(int64_t bytes, const void* values);
  void ReadInto(const void* data, int64_t bytes, void* out);
  void CheckGuards();

  std::string filter_;
  std::string name_;
  Stream stream_;
  std::vector<std::pair<DeviceBuffer, int64_t>> memory_;  // with bytes in use
  std::mt19937_64 random_{20261130};
  int passed_ = 0;
  int failed_ = 0;
};

// The cases of one group of operators.
void RunNormCases(Suite& suite);
void RunRopeCases(Suite& suite);
void RunActivationCases(Suite& suite);
void RunLossCases(Suite& suite);
void RunEmbeddingCases(Suite& suite);
void RunOptimizerCases(Suite& suite);
void RunGemmCases(Suite& suite);
void RunAttentionCases(Suite& suite);

}  // namespace zs::gpu

#endif  // TESTS_GPU_SUITE_H_
