#include "engine/cuda/blas/gemm_cache.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"

namespace zs::gpu {
namespace {

constexpr int64_t kMaxFileBytes = int64_t{16} << 20;

// "HEX HEX ... HEX": the algorithm's words, then the workspace.
std::string Print(const GemmChoice& choice) {
  std::ostringstream text;
  text << std::hex;
  for (const uint64_t word : choice.algorithm) {
    text << word << ' ';
  }
  text << choice.workspace_bytes;
  return text.str();
}

std::optional<GemmChoice> Parse(const std::string& text) {
  std::istringstream words(text);
  std::vector<uint64_t> numbers;
  for (std::string word; words >> word;) {
    uint64_t number = 0;
    const char* end = word.data() + word.size();
    const auto [at, error] = std::from_chars(word.data(), end, number, 16);
    if (error != std::errc() || at != end) {
      return std::nullopt;
    }
    numbers.push_back(number);
  }
  GemmChoice choice;
  if (numbers.size() != choice.algorithm.size() + 1) {
    return std::nullopt;
  }
  std::copy_n(numbers.begin(), choice.algorithm.size(),
              choice.algorithm.begin());
  choice.workspace_bytes = numbers.back();
  return choice;
}

// Adds the file's lines to LINES, leaving those that are there already.
Status Load(const std::string& path,
            std::map<std::string, std::string>& lines) {
  if (path.empty()) {
    return OkStatus();
  }
  Result<std::string> text = ReadFile(path, kMaxFileBytes);
  if (text.status().code() == StatusCode::kNotFound) {
    return OkStatus();
  }
  RETURN_IF_ERROR(text.status());
  std::istringstream in(*text);
  for (std::string line; std::getline(in, line);) {
    const size_t tab = line.rfind('\t');
    if (tab != std::string::npos && Parse(line.substr(tab + 1))) {
      lines.emplace(line.substr(0, tab), line.substr(tab + 1));
    }
  }
  return OkStatus();
}

}  // namespace

GemmCache::GemmCache(std::string path, std::string environment)
    : path_(std::move(path)), environment_(std::move(environment)) {
  Check(Load(path_, lines_));
}

bool GemmCache::Check(const Status& status) {
  if (!status.ok()) {
    note_ = "algorithms are not kept for the next run: " + status.message() +
            "; ZS_GEMM_CACHE may name another file";
    path_.clear();
  }
  return status.ok();
}

std::optional<GemmChoice> GemmCache::Find(const std::string& product) const {
  const auto found = lines_.find(environment_ + '\t' + product);
  return found == lines_.end() ? std::nullopt : Parse(found->second);
}

void GemmCache::Put(const std::string& product, const GemmChoice& choice) {
  lines_[environment_ + '\t' + product] = Print(choice);
  if (path_.empty() || !Check(Load(path_, lines_))) {
    return;
  }
  std::string text;
  for (const auto& [key, value] : lines_) {
    text.append(key).append("\t").append(value).append("\n");
  }
  Check(WriteFileAtomically(path_, text));
}

}  // namespace zs::gpu
