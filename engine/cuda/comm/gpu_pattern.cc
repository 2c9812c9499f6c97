#include "engine/cuda/comm/gpu_pattern.h"

#include <utility>

#include "engine/cuda/check.h"
#include "engine/cuda/kernels/pattern.h"
#include "engine/cuda/memory.h"

namespace zs::gpu {
namespace {

class GpuPatternMemory final : public PatternMemory {
 public:
  static Result<std::unique_ptr<PatternMemory>> Create(cudaStream_t stream) {
    auto memory = std::make_unique<GpuPatternMemory>();
    memory->stream_ = stream;
    ASSIGN_OR_RETURN(memory->table_,
                     DeviceBuffer::Create(sizeof(PatternTable), "a pattern"));
    ASSIGN_OR_RETURN(memory->wrong_,
                     DeviceBuffer::Create(sizeof(unsigned long long),
                                          "a count of wrong elements"));
    return std::unique_ptr<PatternMemory>(std::move(memory));
  }

  Status Fill(float* data, int64_t count, int64_t first,
              const PatternTable& table) override {
    RETURN_IF_ERROR(Load(table));
    return LaunchFillPattern(Of(data, count, first), stream_);
  }

  Result<int64_t> CountWrong(const float* data, int64_t count, int64_t first,
                             const PatternTable& table) override {
    RETURN_IF_ERROR(Load(table));
    ZS_RETURN_IF_CUDA_ERROR(
        cudaMemsetAsync(wrong_.data(), 0, wrong_.bytes(), stream_));
    RETURN_IF_ERROR(LaunchCountWrong(Of(const_cast<float*>(data), count, first),
                                     wrong_.as<unsigned long long>(), stream_));
    unsigned long long wrong = 0;
    ZS_RETURN_IF_CUDA_ERROR(cudaMemcpyAsync(&wrong, wrong_.data(), sizeof wrong,
                                            cudaMemcpyDeviceToHost, stream_));
    ZS_RETURN_IF_CUDA_ERROR(cudaStreamSynchronize(stream_));
    return static_cast<int64_t>(wrong);
  }

 private:
  // From pageable memory: it has been read when this returns.
  Status Load(const PatternTable& table) {
    return ToStatus(cudaMemcpyAsync(table_.data(), table.data(), sizeof table,
                                    cudaMemcpyHostToDevice, stream_),
                    "load a pattern");
  }
  PatternRange Of(float* data, int64_t count, int64_t first) const {
    return {.data = data,
            .count = count,
            .first = first % kPatternPeriod,
            .table = table_.as<float>(),
            .period = kPatternPeriod};
  }

  cudaStream_t stream_ = nullptr;
  DeviceBuffer table_;
  DeviceBuffer wrong_;
};

}  // namespace

Result<std::unique_ptr<PatternMemory>> MakeGpuPattern(cudaStream_t stream) {
  return GpuPatternMemory::Create(stream);
}

}  // namespace zs::gpu
