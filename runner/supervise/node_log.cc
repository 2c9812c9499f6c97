#include "runner/supervise/node_log.h"

#include <array>
#include <cstdio>
#include <ctime>

#include "runner/supervise/compress.h"

namespace zs {
namespace {

constexpr size_t kMaxLineBytes = size_t{64} << 10;

}  // namespace

void NodeLog::AppendTime(int64_t unix_us) {
  const int64_t second = unix_us / 1'000'000;
  if (second != second_) {
    const auto time = static_cast<std::time_t>(second);
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    std::array<char, 32> text{};
    second_text_.assign(
        text.data(), std::strftime(text.data(), text.size(), "%FT%T", &parts));
    second_ = second;
  }
  std::array<char, 16> micros{};
  std::snprintf(micros.data(), micros.size(), ".%06dZ ",
                static_cast<int>(unix_us % 1'000'000));
  lines_ += second_text_;
  lines_ += micros.data();
}

void NodeLog::Write(const Key& key, int64_t unix_us, std::string_view text) {
  AppendTime(unix_us);
  lines_ += std::to_string(key.first);
  lines_ += key.second == OutputStream::kStderr ? " err " : " out ";
  lines_ += text;
  lines_ += '\n';
}

void NodeLog::Flush() {
  log_.Append(lines_);
  lines_.clear();
}

void NodeLog::Append(int rank, OutputStream stream, int64_t unix_us,
                     std::string_view bytes) {
  if (!log_.path().empty()) {
    Split(rank, stream, unix_us, bytes);
    Flush();
  }
}

void NodeLog::Split(int rank, OutputStream stream, int64_t unix_us,
                    std::string_view bytes) {
  const Key key(rank, stream);
  Partial& partial = partial_[key];
  while (!bytes.empty()) {
    const size_t feed = bytes.find('\n');
    const std::string_view part = bytes.substr(0, feed);
    if (partial.text.empty()) {
      partial.unix_us = unix_us;
    }
    if (feed == std::string_view::npos) {
      partial.text += part;
      if (partial.text.size() > kMaxLineBytes) {
        Write(key, partial.unix_us, partial.text);
        partial.text.clear();
      }
      return;
    }
    if (partial.text.empty()) {
      Write(key, unix_us, part);
    } else {
      partial.text += part;
      Write(key, partial.unix_us, partial.text);
      partial.text.clear();
    }
    bytes.remove_prefix(feed + 1);
  }
}

void NodeLog::Gap(int rank, OutputStream stream, int64_t unix_us,
                  int64_t bytes) {
  if (bytes > 0) {
    Append(rank, stream, unix_us,
           "[" + std::to_string(bytes) + " bytes of output left out]\n");
  }
}

void NodeLog::Close() {
  for (auto& [key, partial] : partial_) {
    if (!partial.text.empty()) {
      Write(key, partial.unix_us, partial.text);
    }
  }
  Flush();
  partial_.clear();
  log_.Close();
  if (log_.path().empty() || !log_.status().ok()) {
    return;
  }
  compressed_ = CompressFile(log_.path(), log_.path() + ".zst");
  if (compressed_.ok()) {
    compressed_path_ = log_.path() + ".zst";
  }
}

}  // namespace zs
