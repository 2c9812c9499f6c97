#include "runner/supervise/compress.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "zstd.h"

namespace zs {
namespace {

constexpr int kLevel = 3;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

Status WriteAll(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return ErrnoError(errno, "write " + path);
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return OkStatus();
}

// Compresses all of IN to OUT.
Status Stream(int in, int out, const std::string& path) {
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (!context) {
    return ResourceExhaustedError("no memory to compress " + path);
  }
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::vector<char> plain(ZSTD_CStreamInSize());
  std::vector<char> packed(ZSTD_CStreamOutSize());
  for (;;) {
    const ssize_t n = ::read(in, plain.data(), plain.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return ErrnoError(errno, "read " + path);
    }
    const ZSTD_EndDirective mode = n == 0 ? ZSTD_e_end : ZSTD_e_continue;
    ZSTD_inBuffer input{plain.data(), static_cast<size_t>(n), 0};
    size_t left = 1;
    while (n == 0 ? left != 0 : input.pos < input.size) {
      ZSTD_outBuffer output{packed.data(), packed.size(), 0};
      left = ZSTD_compressStream2(context.get(), &output, &input, mode);
      if (ZSTD_isError(left) != 0U) {
        return InternalError("compress " + path + ": " +
                             ZSTD_getErrorName(left));
      }
      RETURN_IF_ERROR(WriteAll(out, {packed.data(), output.pos}, path));
    }
    if (n == 0) {
      return OkStatus();
    }
  }
}

}  // namespace

Status CompressFile(const std::string& from, const std::string& to) {
  const Descriptor in(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!in.valid()) {
    return ErrnoError(errno, "open " + from);
  }
  const std::string part = to + ".part";
  const Descriptor out(
      ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!out.valid()) {
    return ErrnoError(errno, "create " + part);
  }
  Status status = Stream(in.get(), out.get(), part);
  if (status.ok() && std::rename(part.c_str(), to.c_str()) != 0) {
    status = ErrnoError(errno, "rename " + part);
  }
  ::unlink(status.ok() ? from.c_str() : part.c_str());
  return status;
}

}  // namespace zs
