// The parameters in blocks, for what several threads do with all of them.
#ifndef ENGINE_ZERO_PARAMETER_BLOCKS_H_
#define ENGINE_ZERO_PARAMETER_BLOCKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/api/run_config.h"
#include "engine/zero/sharded_units.h"

namespace zs {

// Elements [begin, begin + size) of a unit, without padding.
struct ParameterBlock {
  int unit = 0;
  int64_t begin = 0;
  int64_t size = 0;
};

inline constexpr int64_t kBlockElements = int64_t{1} << 20;

// All parameters of UNITS in order, in blocks of kBlockElements; the last one
// of a unit may be shorter.
std::vector<ParameterBlock> BlocksOf(const std::vector<Unit>& units);

// Gives UNITS the initial parameters of MODEL and SEED (model/initialize.h).
Status InitializeParameters(const ModelConfig& model, uint64_t seed,
                            int threads, ShardedUnits& units, Ops& ops);

// SHA-256 of the SHA-256 digests, as 64 hexadecimal digits each, of all blocks
// of the parameters in fp32: equal where all parameters are. Every rank must
// call it, since it settles UNITS.
Result<std::string> ParametersSha256(int threads, ShardedUnits& units,
                                     Ops& ops);

}  // namespace zs

#endif  // ENGINE_ZERO_PARAMETER_BLOCKS_H_
