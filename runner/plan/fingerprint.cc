#include "runner/plan/fingerprint.h"

#include <algorithm>
#include <fstream>
#include <vector>

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"

namespace zs {
namespace {

constexpr int64_t kBlockBytes = 64 << 10;
constexpr int64_t kBlocks = 64;

// The digest of kBlocks blocks of a file of SIZE > kBlocks x kBlockBytes.
Result<std::string> SampleHash(const std::string& path, int64_t size) {
  std::ifstream file(path, std::ios::binary);
  std::string block(kBlockBytes, '\0');
  Sha256 sha;
  for (int64_t i = 0; i < kBlocks; ++i) {
    // Exact in 64 bits: (size - block) / 63 first, then times i.
    const int64_t last = size - kBlockBytes;
    const int64_t offset = i == kBlocks - 1 ? last : last / (kBlocks - 1) * i;
    file.seekg(offset);
    if (!file.read(block.data(), kBlockBytes)) {
      return DataLossError(path + ": cannot read at byte " +
                           std::to_string(offset));
    }
    sha.Update(block);
  }
  return sha.HexDigest();
}

Result<Json> FileJson(const std::string& path, int64_t full_bytes) {
  ASSIGN_OR_RETURN(const int64_t size, FileSizeBytes(path));
  if (size <= std::max(full_bytes, kBlocks * kBlockBytes)) {
    ASSIGN_OR_RETURN(std::string digest, Sha256HexOfFile(path));
    return Json{{"bytes", size}, {"sha256", std::move(digest)}};
  }
  ASSIGN_OR_RETURN(std::string digest, SampleHash(path, size));
  return Json{{"bytes", size}, {"sample_sha256", std::move(digest)}};
}

}  // namespace

Result<std::string> FileContent(const std::string& path, int64_t full_bytes) {
  ASSIGN_OR_RETURN(const Json json, FileJson(path, full_bytes));
  return DumpJson(json);
}

std::vector<std::string> DataFiles(const DataConfig& data) {
  std::vector<std::string> files;
  for (const std::string& path : data.paths) {
    if (data.kind == "megatron") {
      files.push_back(path + ".bin");
      files.push_back(path + ".idx");
    } else {
      files.push_back(path);
    }
  }
  return files;
}

Result<std::string> DataFingerprint(const DataConfig& data,
                                    int64_t full_bytes) {
  if (data.paths.empty()) {
    return DumpJson(Json{{"kind", data.kind}});
  }
  Json list = Json::array();
  for (const std::string& file : DataFiles(data)) {
    ASSIGN_OR_RETURN(Json json, FileJson(file, full_bytes));
    list.push_back(std::move(json));
  }
  return DumpJson(Json{{"files", std::move(list)}});
}

}  // namespace zs
