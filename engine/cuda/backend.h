// What the engine gets from its CUDA plug-in. This header needs no CUDA, so
// that a program without it can ask for one.
#ifndef ENGINE_CUDA_BACKEND_H_
#define ENGINE_CUDA_BACKEND_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/status.h"
#include "engine/comm/communicator.h"
#include "engine/comm/pattern.h"
#include "engine/comm/rendezvous.h"
#include "engine/ops/ops.h"

namespace zs {

struct CudaBackendOptions {
  int device = 0;               // LOCAL_RANK
  bool deterministic = false;   // the same bits every time
  std::string gemm_cache_path;  // of timed GEMM algorithms; empty: none
};

// How the ranks' connection behaves when one of them is lost.
struct PeerLossOptions {
  double timeout_s = 0;  // a collective that takes longer has lost a peer
  // Called on another thread where an operation still waits seconds after a
  // rank was lost: calls into CUDA and NCCL may never return then. Does not
  // return.
  std::function<void(const Status&)> on_stuck;
};

// One GPU for the calling thread.
class CudaBackend {
 public:
  virtual ~CudaBackend() = default;

  virtual Ops& ops() = 0;

  // Connects the ranks that met at RENDEZVOUS, which outlives the result, by
  // NCCL. Operations take memory of this GPU or of the host. A collective that
  // does not end within its timeout is kDeadlineExceeded and aborts.
  virtual Result<std::unique_ptr<Communicator>> Connect(
      Rendezvous& rendezvous, const PeerLossOptions& loss) = 0;

  // Test data in memory of this GPU.
  virtual Result<std::unique_ptr<PatternMemory>> Pattern() = 0;

  // "gpu", "driver", "cublaslt", "cudnn", "nccl", ...
  virtual std::map<std::string, std::string> Versions() const = 0;

  // How operators are computed, a line each.
  virtual std::string Describe() const = 0;

  // Memory of the GPU that is in use now, by all processes, and what it has.
  virtual int64_t UsedBytes() const = 0;
  virtual int64_t TotalBytes() const = 0;
};

// Loads libengine_cuda.so from the program's own folder. kUnavailable names the
// library that is missing.
Status LoadCudaPlugin();

// Loads it and opens a GPU. kUnavailable, as before, also names the device or
// driver that does not do.
Result<std::unique_ptr<CudaBackend>> OpenCudaBackend(
    const CudaBackendOptions& options);

// The function that the plug-in exports under this name.
constexpr const char* kCudaBackendSymbol = "ZsOpenCudaBackend";
using CudaBackendFunction =
    void (*)(const CudaBackendOptions& options,
             Result<std::unique_ptr<CudaBackend>>& result);

}  // namespace zs

#endif  // ENGINE_CUDA_BACKEND_H_
