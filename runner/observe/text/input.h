// Opens a log wherever it comes from and reads it as plain bytes.
#ifndef RUNNER_OBSERVE_TEXT_INPUT_H_
#define RUNNER_OBSERVE_TEXT_INPUT_H_

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace zs {

// Gets the bytes of a log, piece by piece; valid during the call only.
using ByteSink = std::function<void(std::string_view)>;

// What reading found.
struct InputReport {
  std::string format = "plain";  // "plain" | "gzip" | "zstd"
  bool truncated = false;        // a compressed file that ends early or is
                                 // damaged: what came before was delivered
};

// Reads the file at PATH ("-" is standard input) to its end. gzip and zstd are
// told by their first bytes; several members in a row are one stream. Memory
// stays below 16 MiB whatever the file says (zstd windows beyond 8 MiB are
// refused). kNotFound, kPermissionDenied, kFailedPrecondition for folders and
// devices; damage in a compressed file is no error but InputReport::truncated.
Result<InputReport> ReadLog(const std::string& path, const ByteSink& sink);

}  // namespace zs

#endif  // RUNNER_OBSERVE_TEXT_INPUT_H_
