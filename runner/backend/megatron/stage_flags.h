// What makes a ZeRO stage in each version of Megatron-LM.
#ifndef RUNNER_BACKEND_MEGATRON_STAGE_FLAGS_H_
#define RUNNER_BACKEND_MEGATRON_STAGE_FLAGS_H_

#include <string>
#include <string_view>
#include <vector>

#include "runner/backend/megatron/version.h"

namespace zs {

// The implementation of data parallelism. Stages of different families differ
// in more than the stage and must not be compared as if they did not.
enum class MegatronFamily {
  kDdp,   // DistributedDataParallel: stages 0 and 1
  kFsdp,  // Megatron-FSDP ("custom FSDP" in 0.12 and 0.13): stages 0 to 2
};

// "ddp", "fsdp".
std::string_view MegatronFamilyName(MegatronFamily family);

// What a version gives where a stage is asked for.
struct StagePlan {
  int asked = 0;
  int effective = 0;               // what will be in effect
  std::vector<std::string> flags;  // sharding and overlap; empty: refused
  std::string checkpoint_format;   // that these flags need; empty: any
  bool connections_unset = false;  // CUDA_DEVICE_MAX_CONNECTIONS must not be 1
  std::string reason;              // why another stage, or none, is in effect
  std::string warning;             // what to know though the stage is given

  bool possible() const { return !flags.empty(); }
};

// The flags for stage ASKED (0 to 2). All stages of a family overlap the
// reduction of gradients alike. Where VERSION cannot give the stage, the plan
// holds the nearest one that it gives, and `reason` with the alternatives.
StagePlan PlanStage(const MegatronVersion& version, MegatronFamily family,
                    int asked);

// The oldest version that the runner knows.
inline constexpr int kOldestMegatronMinor = 11;

}  // namespace zs

#endif  // RUNNER_BACKEND_MEGATRON_STAGE_FLAGS_H_
