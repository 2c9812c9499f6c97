#include "runner/observe/text/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace zs {
namespace {

constexpr size_t kChunk = 512 * 1024;  // half stays in a core's own cache
constexpr int kMaxZstdWindowLog = 23;  // 8 MiB

class Descriptor {
 public:
  explicit Descriptor(int fd, bool owned) : fd_(fd), owned_(owned) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (owned_ && fd_ >= 0) {
      close(fd_);
    }
  }
  int get() const { return fd_; }

 private:
  int fd_;
  bool owned_;
};

// Bytes read into BUFFER, 0 at the end, or the error.
Result<size_t> ReadSome(int fd, std::vector<char>& buffer) {
  for (;;) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got >= 0) {
      return static_cast<size_t>(got);
    }
    if (errno != EINTR) {
      return ErrnoError(errno, "read");
    }
  }
}

// Reads a regular file one buffer ahead on a thread of its own, so that
// copying from the page cache costs the scanner no time.
class ReadAhead {
 public:
  explicit ReadAhead(int fd) : fd_(fd) {
    for (Slot& slot : slots_) {
      slot.buffer.resize(kChunk);
    }
    thread_ = std::thread([this] { Run(); });
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  // The next bytes, valid until the next call; empty at the end.
  Result<std::string_view> Next() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (given_) {
      slots_[(next_ + 1) % 2].bytes.reset();  // the one before is done with
    }
    given_ = true;
    changed_.notify_all();
    Slot& slot = slots_[next_];
    changed_.wait(lock, [&slot] { return slot.bytes.has_value(); });
    next_ = (next_ + 1) % 2;
    if (!slot.bytes->ok()) {
      return slot.bytes->status();
    }
    return std::string_view(slot.buffer.data(), **slot.bytes);
  }

 private:
  struct Slot {
    std::vector<char> buffer;
    std::optional<Result<size_t>> bytes;  // unset: free to read into
  };

  void Run() {
    for (size_t i = 0;; i = (i + 1) % 2) {
      Slot& slot = slots_[i];
      {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [&] { return stop_ || !slot.bytes.has_value(); });
        if (stop_) {
          return;
        }
      }
      Result<size_t> got = ReadSome(fd_, slot.buffer);
      const bool last = !got.ok() || *got == 0;
      const std::lock_guard<std::mutex> lock(mutex_);
      slot.bytes = std::move(got);
      changed_.notify_all();
      if (last) {
        return;
      }
    }
  }

  int fd_;
  std::array<Slot, 2> slots_;
  size_t next_ = 0;  // slot that Next() gives
  bool given_ = false;
  bool stop_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

// Turns compressed pieces into plain ones. False: the stream is damaged.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual bool Decode(std::string_view bytes, const ByteSink& sink) = 0;
  virtual bool AtMemberEnd() const = 0;
};

class PlainDecoder : public Decoder {
 public:
  bool Decode(std::string_view bytes, const ByteSink& sink) override {
    sink(bytes);
    return true;
  }
  bool AtMemberEnd() const override { return true; }
};

class GzipDecoder : public Decoder {
 public:
  GzipDecoder() : out_(kChunk) { inflateInit2(&stream_, 15 + 16); }
  ~GzipDecoder() override { inflateEnd(&stream_); }

  bool Decode(std::string_view bytes, const ByteSink& sink) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    while (stream_.avail_in > 0) {
      if (ended_) {
        inflateReset(&stream_);
        ended_ = false;
      }
      if (!Inflate(sink)) {
        return false;
      }
    }
    return true;
  }

  bool AtMemberEnd() const override { return ended_; }

 private:
  bool Inflate(const ByteSink& sink) {
    int code = Z_OK;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      code = inflate(&stream_, Z_NO_FLUSH);
      sink({out_.data(), out_.size() - stream_.avail_out});
    } while (code == Z_OK && stream_.avail_out == 0);
    ended_ = code == Z_STREAM_END;
    return code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR;
  }

  z_stream stream_ = {};
  std::vector<char> out_;
  bool ended_ = false;
};

class ZstdDecoder : public Decoder {
 public:
  ZstdDecoder() : context_(ZSTD_createDCtx(), ZSTD_freeDCtx), out_(kChunk) {
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax,
                           kMaxZstdWindowLog);
  }

  bool Decode(std::string_view bytes, const ByteSink& sink) override {
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    bool more = true;
    while (in.pos < in.size || more) {
      ZSTD_outBuffer out = {out_.data(), out_.size(), 0};
      const size_t left = ZSTD_decompressStream(context_.get(), &out, &in);
      sink({out_.data(), out.pos});
      if (ZSTD_isError(left)) {
        return false;
      }
      ended_ = left == 0;
      more = out.pos == out.size;
    }
    return true;
  }

  bool AtMemberEnd() const override { return ended_; }

 private:
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context_;
  std::vector<char> out_;
  bool ended_ = false;
};

std::unique_ptr<Decoder> MakeDecoder(std::string_view start,
                                     InputReport& report) {
  if (start.substr(0, 2) == "\x1f\x8b") {
    report.format = "gzip";
    return std::make_unique<GzipDecoder>();
  }
  if (start.substr(0, 4) == "\x28\xb5\x2f\xfd") {
    report.format = "zstd";
    return std::make_unique<ZstdDecoder>();
  }
  return std::make_unique<PlainDecoder>();
}

// Worth a thread. A pipe is not: a read of it may wait for ever.
bool IsLargeFile(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
         info.st_size > (off_t{16} << 20);
}

Status CheckKind(int fd, const std::string& path) {
  struct stat info;
  if (fstat(fd, &info) != 0) {
    return ErrnoError(errno, path);
  }
  if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) {
    return FailedPreconditionError(
        path + ": neither a file nor a pipe; name a log file or its folder");
  }
  return OkStatus();
}

}  // namespace

Result<InputReport> ReadLog(const std::string& path, const ByteSink& sink) {
  const bool standard = path == "-";
  const Descriptor file(
      standard ? STDIN_FILENO
               : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK),
      !standard);
  if (file.get() < 0) {
    return ErrnoError(errno, path);
  }
  if (!standard) {
    RETURN_IF_ERROR(CheckKind(file.get(), path));
    posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
    fcntl(file.get(), F_SETFL, 0);  // a pipe blocks again
  }
  InputReport report;
  std::vector<char> buffer(kChunk);
  std::optional<ReadAhead> ahead;
  if (IsLargeFile(file.get())) {
    ahead.emplace(file.get());
  }
  std::unique_ptr<Decoder> decoder;
  for (;;) {
    std::string_view bytes;
    if (ahead.has_value()) {
      ASSIGN_OR_RETURN(bytes, ahead->Next());
    } else {
      ASSIGN_OR_RETURN(const size_t got, ReadSome(file.get(), buffer));
      bytes = std::string_view(buffer.data(), got);
    }
    if (bytes.empty()) {
      break;
    }
    if (decoder == nullptr) {
      decoder = MakeDecoder(bytes, report);
    }
    if (!decoder->Decode(bytes, sink)) {
      report.truncated = true;
      return report;
    }
  }
  report.truncated = decoder != nullptr && !decoder->AtMemberEnd();
  return report;
}

}  // namespace zs
