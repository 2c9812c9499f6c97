#include "runner/supervise/rank_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace zs {
namespace {

Descriptor CreateEmpty(const std::string& path) {
  return Descriptor(::open(
      path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
}

}  // namespace

RankLog::RankLog(std::string path, int64_t cap_bytes)
    : path_(std::move(path)), cap_bytes_(std::max<int64_t>(cap_bytes, 4096)) {
  if (path_.empty()) {
    return;
  }
  file_ = CreateEmpty(path_);
  if (!file_.valid()) {
    status_ = ErrnoError(errno, "create " + path_);
  }
}

std::string RankLog::TailPath(int tail) const {
  return path_ + ".tail" + std::to_string(tail);
}

void RankLog::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      if (status_.ok()) {
        status_ = ErrnoError(errno, "write " + path_);
      }
      lost_bytes_ += static_cast<int64_t>(bytes.size());
      return;
    }
    in_file_ += n;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void RankLog::Append(std::string_view bytes) {
  if (path_.empty()) {
    return;
  }
  while (!bytes.empty()) {
    const int64_t room =
        (tail_ < 0 ? cap_bytes_ / 2 : cap_bytes_ / 4) - in_file_;
    if (room <= 0) {
      SwitchTail();
      continue;
    }
    const auto part = bytes.substr(0, static_cast<size_t>(room));
    const int64_t before = in_file_;
    Write(part);
    bytes.remove_prefix(part.size());
    if (in_file_ == before) {
      lost_bytes_ += static_cast<int64_t>(bytes.size());
      return;
    }
  }
}

void RankLog::Gap(int64_t bytes) {
  if (bytes > 0) {
    Append("\n[" + std::to_string(bytes) + " bytes of output left out]\n");
  }
}

void RankLog::SwitchTail() {
  cut_bytes_ += in_other_tail_;
  in_other_tail_ = tail_ < 0 ? 0 : in_file_;
  tail_ = tail_ == 0 ? 1 : 0;
  in_file_ = 0;
  file_ = CreateEmpty(TailPath(tail_));
  if (!file_.valid() && status_.ok()) {
    status_ = ErrnoError(errno, "create " + TailPath(tail_));
  }
}

void RankLog::JoinTail(int tail) {
  const std::string path = TailPath(tail);
  const Descriptor source(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!source.valid() && errno == ENOENT) {
    return;  // nothing came to it
  }
  char bytes[65536];
  const int64_t lost_before = lost_bytes_;
  ssize_t n = -1;
  // In order: nothing goes behind what is missing.
  while (source.valid() && kept_.empty() && lost_bytes_ == lost_before &&
         (n = ::read(source.get(), bytes, sizeof bytes)) > 0) {
    Write({bytes, static_cast<size_t>(n)});
  }
  if (n == 0) {
    ::unlink(path.c_str());
    return;
  }
  // All of it is there still.
  lost_bytes_ = lost_before;
  kept_.push_back(path);
  if (status_.ok()) {
    status_ = ErrnoError(errno, "read " + path);
  }
}

void RankLog::Close() {
  if (path_.empty() || !file_.valid()) {
    return;
  }
  if (tail_ >= 0) {
    const int newest = tail_;
    file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    tail_ = -1;
    const int64_t lost_before = lost_bytes_;
    if (cut_bytes_ > 0) {
      Write("\n[" + std::to_string(cut_bytes_) +
            " bytes of output left out]\n");
    }
    lost_bytes_ = lost_before;  // that line is nobody's output
    JoinTail(1 - newest);
    JoinTail(newest);
  }
  file_.Reset();
}

}  // namespace zs
