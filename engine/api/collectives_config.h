// What the engine measures instead of training where its configuration file
// has a section "collectives".
#ifndef ENGINE_API_COLLECTIVES_CONFIG_H_
#define ENGINE_API_COLLECTIVES_CONFIG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace zs {

struct CollectivesConfig {
  std::vector<std::string> ops;  // kCollectiveOps, some of them
  int64_t min_bytes = 8;         // sizes go up by powers of two
  int64_t max_bytes = int64_t{1} << 26;
  int64_t iterations = 20;  // measured calls of each size
  int64_t warmup = 5;       // calls before them
  bool check = true;        // every element of a result is looked at
};

// The operations that can be measured, with the factor f of n ranks by which
// nccl-tests (doc/PERFORMANCE.md there) turns algbw = size / time into busbw,
// what each link must carry:
//   all_reduce 2 (n-1)/n; reduce_scatter, all_gather (n-1)/n; broadcast,
//   send_receive (each rank to the next one, in a ring) 1
// `size` is the whole buffer, n times a rank's share for reduce_scatter and
// all_gather.
inline constexpr const char* kCollectiveOps[] = {
    "all_reduce", "reduce_scatter", "all_gather", "broadcast", "send_receive"};
double BusFactor(const std::string& op, int ranks);

// A whole configuration file of this kind.
struct CollectivesRun {
  std::string experiment;  // for messages
  std::string device;      // "cpu" | "cuda"
  CollectivesConfig collectives;
  int threads_per_rank = 0;
  double collective_timeout_s = 120;
};

Json ToJson(const CollectivesRun& run);

// Whether JSON is the configuration of such a run rather than of a training.
bool IsCollectivesRun(const Json& json);

// kInvalidArgument lists the fields that are wrong, one a line.
Result<CollectivesRun> CollectivesRunFromJson(const Json& json);

}  // namespace zs

#endif  // ENGINE_API_COLLECTIVES_CONFIG_H_
