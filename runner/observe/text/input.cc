#include "runner/observe/text/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <memory>
#include <vector>

#include "base/descriptor.h"

namespace zs {
namespace {

constexpr size_t kChunk = 1024 * 1024;  // two halves, each in a core's cache
constexpr int kMaxZstdWindowLog = 23;   // 8 MiB

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
  Descriptor file;  // none: stdin
  if (path != "-") {
    file.Reset(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.valid()) {
      return ErrnoError(errno, path);
    }
    RETURN_IF_ERROR(CheckKind(file.get(), path));
    posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
    fcntl(file.get(), F_SETFL, 0);  // a pipe blocks again
  }
  const int fd = file.valid() ? file.get() : STDIN_FILENO;
  InputReport report;
  std::vector<char> buffer(kChunk);
  std::unique_ptr<Decoder> decoder;
  for (;;) {
    ASSIGN_OR_RETURN(const size_t got, ReadSome(fd, buffer));
    const std::string_view bytes(buffer.data(), got);
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
