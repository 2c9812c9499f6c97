// Any bytes as a log file: plain, gzip, zstd, or none of them; what a damaged
// archive gives is bounded.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "runner/observe/text/input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int file = ::memfd_create("log", MFD_CLOEXEC);
  if (file < 0) {
    return 0;
  }
  if (::write(file, data, size) == static_cast<ssize_t>(size)) {
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    size_t bytes = 0;
    const auto report = zs::ReadLog(
        path, [&bytes](std::string_view piece) { bytes += piece.size(); });
    if (report.ok() && report->format == "plain" && bytes != size) {
      std::abort();
    }
  }
  ::close(file);
  return 0;
}
