#include "runner/supervise/redactor.h"

#include <algorithm>
#include <utility>

namespace zs {
namespace {

constexpr size_t kMinSecretBytes = 6;
constexpr std::string_view kMasked = "***";

}  // namespace

SecretValues::SecretValues(const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    if (value.size() >= kMinSecretBytes) {
      values_.push_back(value);
      first_[static_cast<unsigned char>(value[0])] = true;
    }
  }
}

std::string_view Redactor::Feed(std::string_view bytes) {
  if (secrets_->values().empty()) {
    return bytes;
  }
  const std::string input = std::exchange(waiting_, "") + std::string(bytes);
  text_.clear();
  for (size_t at = 0; at < input.size();) {
    if (!secrets_->MayBegin(input[at])) {
      text_ += input[at++];
      continue;
    }
    const std::string_view rest = std::string_view(input).substr(at);
    size_t secret_bytes = 0;
    bool begins = false;
    for (const std::string& value : secrets_->values()) {
      if (rest.starts_with(value)) {
        secret_bytes = std::max(secret_bytes, value.size());
      } else {
        begins = begins || value.starts_with(rest);
      }
    }
    if (secret_bytes > 0) {
      text_ += kMasked;
      at += secret_bytes;
    } else if (begins) {
      waiting_ = rest;
      return text_;
    } else {
      text_ += input[at++];
    }
  }
  return text_;
}

std::string Redactor::Take() {
  return std::exchange(waiting_, "");
}

}  // namespace zs
