// What a run's data files contain, in a few bytes for its key.
#ifndef RUNNER_PLAN_FINGERPRINT_H_
#define RUNNER_PLAN_FINGERPRINT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/api/run_config.h"

namespace zs {

// JSON {"bytes": B, "sha256": HEX} of a file; one beyond FULL_BYTES counts by
// size and 64 blocks of 64 KiB, evenly spread from first to last
// ("sample_sha256"). Errors: those of reading, with the path.
Result<std::string> FileContent(const std::string& path,
                                int64_t full_bytes = int64_t{64} << 20);

// The files of DATA in their order: a Megatron prefix stands for its .bin and
// .idx.
std::vector<std::string> DataFiles(const DataConfig& data);

// JSON {"files": [FileContent, ...]} for the files of DATA in their order,
// without their names; {"kind": "random"} where there are none. Errors: those
// of FileContent.
Result<std::string> DataFingerprint(const DataConfig& data,
                                    int64_t full_bytes = int64_t{64} << 20);

}  // namespace zs

#endif  // RUNNER_PLAN_FINGERPRINT_H_
