// The algorithms that were found fastest, kept in a file between runs.
#ifndef ENGINE_CUDA_BLAS_GEMM_CACHE_H_
#define ENGINE_CUDA_BLAS_GEMM_CACHE_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/status.h"

namespace zs::gpu {

// What cuBLASLt needs to run a product again in the same way. Its bytes are
// valid for the version and the device they come from.
struct GemmChoice {
  std::array<uint64_t, 8> algorithm = {};  // cublasLtMatmulAlgo_t
  uint64_t workspace_bytes = 0;

  bool operator==(const GemmChoice&) const = default;
};

// Choices by the text of a product, for one device and one version. Entries of
// other devices and versions in the file are kept. Not thread-safe.
class GemmCache {
 public:
  // Reads PATH; a missing file is an empty cache, and lines that are damaged
  // are left out. ENVIRONMENT: device and versions, without tabs or line
  // feeds. An empty PATH: nothing is kept.
  static Result<GemmCache> Open(const std::string& path,
                                const std::string& environment);

  std::optional<GemmChoice> Find(const std::string& product) const;

  // Remembers CHOICE and replaces the file atomically; what other processes
  // wrote in the meantime stays. PRODUCT: without tabs or line feeds.
  Status Put(const std::string& product, const GemmChoice& choice);

 private:
  std::string path_;
  std::string environment_;
  std::map<std::string, std::string> lines_;  // environment TAB product: choice
};

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_BLAS_GEMM_CACHE_H_
