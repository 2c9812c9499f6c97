// The plug-in that links cuBLASLt, cuDNN and NCCL: see backend.h.
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <utility>

#include "engine/cuda/backend.h"
#include "engine/cuda/check.h"
#include "engine/cuda/comm/gpu_pattern.h"
#include "engine/cuda/comm/nccl_communicator.h"
#include "engine/cuda/comm/nccl_init.h"
#include "engine/cuda/cuda_ops.h"

namespace zs::gpu {
namespace {

class Backend final : public CudaBackend {
 public:
  static Result<std::unique_ptr<CudaBackend>> Open(
      const CudaBackendOptions& options);

  Ops& ops() override { return *ops_; }
  Result<std::unique_ptr<Communicator>> Connect(
      Rendezvous& rendezvous, const PeerLossOptions& loss) override {
    return ConnectNccl(rendezvous, ops_->stream(), loss);
  }
  Result<std::unique_ptr<PatternMemory>> Pattern() override {
    return MakeGpuPattern(ops_->stream());
  }
  std::map<std::string, std::string> Versions() const override;
  std::string Describe() const override { return ops_->Describe(); }
  int64_t UsedBytes() const override {
    size_t free = 0;
    size_t total = 0;
    (void)cudaMemGetInfo(&free, &total);
    return static_cast<int64_t>(total - free);
  }
  int64_t TotalBytes() const override {
    size_t free = 0;
    size_t total = 0;
    (void)cudaMemGetInfo(&free, &total);
    return static_cast<int64_t>(total);
  }

 private:
  std::string name_;
  std::unique_ptr<CudaOps> ops_;
};

Result<std::unique_ptr<CudaBackend>> Backend::Open(
    const CudaBackendOptions& options) {
  auto backend = std::make_unique<Backend>();
  ASSIGN_OR_RETURN(backend->ops_,
                   MakeCudaOps({.device = options.device,
                                .deterministic = options.deterministic,
                                .gemm_cache_path = options.gemm_cache_path}));
  cudaDeviceProp properties = {};
  ZS_RETURN_IF_CUDA_ERROR(cudaGetDeviceProperties(&properties, options.device));
  backend->name_ = properties.name;
  return std::unique_ptr<CudaBackend>(std::move(backend));
}

std::map<std::string, std::string> Backend::Versions() const {
  int driver = 0;
  int runtime = 0;
  (void)cudaDriverGetVersion(&driver);
  (void)cudaRuntimeGetVersion(&runtime);
  return {{"gpu", name_},
          {"cuda_driver", std::to_string(driver)},
          {"cuda_runtime", std::to_string(runtime)},
          {"cublaslt", std::to_string(cublasLtGetVersion())},
          {"cudnn", std::to_string(cudnnGetVersion())},
          {"nccl", NcclVersion()}};
}

}  // namespace
}  // namespace zs::gpu

extern "C" __attribute__((visibility("default"))) void ZsOpenCudaBackend(
    const zs::CudaBackendOptions& options,
    zs::Result<std::unique_ptr<zs::CudaBackend>>& result) {
  result = zs::gpu::Backend::Open(options);
}
