// Files that are not written to any more, made small (Zstandard).
#ifndef RUNNER_SUPERVISE_COMPRESS_H_
#define RUNNER_SUPERVISE_COMPRESS_H_

#include <string>

#include "base/status.h"

namespace zs {

// Compresses the file FROM to TO, which appears whole or not at all, and
// removes FROM. On an error FROM is as it was and there is no TO.
Status CompressFile(const std::string& from, const std::string& to);

}  // namespace zs

#endif  // RUNNER_SUPERVISE_COMPRESS_H_
