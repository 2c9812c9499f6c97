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
// other devices and versions in the file are kept. A file that cannot be read
// or written is left alone from then on: choices are kept in memory, and `note`
// says so. Not thread-safe.
class GemmCache {
 public:
  GemmCache() = default;
  // Reads PATH; a missing file is an empty cache, and lines that are damaged
  // are left out. ENVIRONMENT: device and versions, without tabs or line
  // feeds. An empty PATH: nothing is kept.
  GemmCache(std::string path, std::string environment);

  std::optional<GemmChoice> Find(const std::string& product) const;

  // Remembers CHOICE and replaces the file atomically; what other processes
  // wrote in the meantime stays. PRODUCT: without tabs or line feeds.
  void Put(const std::string& product, const GemmChoice& choice);

  // What was wrong with the file; empty where nothing was.
  const std::string& note() const { return note_; }

 private:
  // Gives the file up unless STATUS is OK; whether it is.
  bool Check(const Status& status);

  std::string path_;  // empty: no file, or not any more
  std::string environment_;
  std::string note_;
  std::map<std::string, std::string> lines_;  // environment TAB product: choice
};

}  // namespace zs::gpu

#endif  // ENGINE_CUDA_BLAS_GEMM_CACHE_H_
