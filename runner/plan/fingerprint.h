// What a run's data files contain, in a few bytes for its key.
#ifndef RUNNER_PLAN_FINGERPRINT_H_
#define RUNNER_PLAN_FINGERPRINT_H_

#include <cstdint>
#include <string>

#include "base/status.h"
#include "engine/api/run_config.h"

namespace zs {

// JSON {"files": [{"bytes": B, "sha256": HEX}, ...]} for the files of DATA in
// their order, without their names; {"kind": "random"} where there are none.
// Files beyond FULL_BYTES count by size and 64 blocks of 64 KiB, evenly spread
// from first to last ("sample_sha256"). A Megatron prefix stands for its .bin
// and .idx. Errors: those of reading, with the path.
Result<std::string> DataFingerprint(const DataConfig& data,
                                    int64_t full_bytes = int64_t{64} << 20);

}  // namespace zs

#endif  // RUNNER_PLAN_FINGERPRINT_H_
