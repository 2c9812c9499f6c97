#include "runner/backend/megatron/stage_flags.h"

#include <limits>

namespace zs {
namespace {

constexpr int kNoEnd = std::numeric_limits<int>::max();

// One row for a family, a range of versions 0.FIRST to before 0.END and a
// stage. Sources: Megatron-LM's arguments.py and training.py by tag.
struct Row {
  MegatronFamily family;
  int first_minor;
  int end_minor;
  int stage;
  const char* flags;
  const char* checkpoint_format;
  const char* warning;
};

constexpr MegatronFamily kD = MegatronFamily::kDdp;
constexpr MegatronFamily kF = MegatronFamily::kFsdp;

constexpr char kBrokenMemory[] =
    "optim_grads of 0.14 to 0.19 allocates the whole gradient for the time of "
    "the backward pass: peak memory is not that of ZeRO-2 (Megatron-LM issue "
    "6314)";

constexpr Row kRows[] = {
    {kD, 0, kNoEnd, 0, "--overlap-grad-reduce", "", ""},
    {kD, 0, kNoEnd, 1,
     "--use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather",
     "", ""},
    {kF, 12, 14, 0,
     "--use-custom-fsdp --use-distributed-optimizer "
     "--data-parallel-sharding-strategy no_shard --overlap-grad-reduce",
     "", ""},
    {kF, 12, 14, 1,
     "--use-custom-fsdp --use-distributed-optimizer "
     "--data-parallel-sharding-strategy optim --overlap-grad-reduce",
     "", ""},
    {kF, 12, 14, 2,
     "--use-custom-fsdp --use-distributed-optimizer "
     "--data-parallel-sharding-strategy optim_grads --overlap-grad-reduce "
     "--no-gradient-accumulation-fusion",
     "", ""},
    {kF, 14, kNoEnd, 0,
     "--use-megatron-fsdp --use-distributed-optimizer "
     "--data-parallel-sharding-strategy no_shard --overlap-grad-reduce",
     "fsdp_dtensor", ""},
    {kF, 14, kNoEnd, 1,
     "--use-megatron-fsdp --use-distributed-optimizer "
     "--data-parallel-sharding-strategy optim --overlap-grad-reduce",
     "fsdp_dtensor", ""},
    {kF, 14, 20, 2,
     "--use-megatron-fsdp --use-distributed-optimizer "
     "--data-parallel-sharding-strategy optim_grads --overlap-grad-reduce",
     "fsdp_dtensor", kBrokenMemory},
    {kF, 20, kNoEnd, 2,
     "--use-megatron-fsdp --use-distributed-optimizer "
     "--data-parallel-sharding-strategy optim_grads --overlap-grad-reduce",
     "fsdp_dtensor", ""},
};

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t end = text.find(' ');
    words.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
  return words;
}

const Row* FindRow(int minor, MegatronFamily family, int stage) {
  for (const Row& row : kRows) {
    if (row.family == family && row.stage == stage &&
        minor >= row.first_minor && minor < row.end_minor) {
      return &row;
    }
  }
  return nullptr;
}

// Versions beyond 0.x count as the newest.
int MinorOf(const MegatronVersion& version) {
  return version.major > 0 ? kNoEnd - 1 : version.minor;
}

std::string Refusal(const MegatronVersion& version, MegatronFamily family,
                    int asked) {
  const std::string text = "Megatron-LM " + version.text;
  if (family == MegatronFamily::kFsdp) {
    return text +
           " has no FSDP of its own (0.12 and later have); alternatives: a "
           "newer tree, or data_parallel: 'ddp' with zero_stage 0 or 1";
  }
  const bool fsdp = MinorOf(version) >= 12;
  return text + " has no ZeRO-" + std::to_string(asked) +
         " with DDP: --data-parallel-sharding-strategy optim_grads without "
         "FSDP is ZeRO-1; alternatives: " +
         (fsdp ? "data_parallel: 'fsdp' (for all compared stages)"
               : "a tree of 0.12 or later with data_parallel: 'fsdp'") +
         ", zero_stage: 1, or allow_effective: true, which runs and is "
         "labelled ZeRO-1";
}

}  // namespace

std::string_view MegatronFamilyName(MegatronFamily family) {
  return family == MegatronFamily::kDdp ? "ddp" : "fsdp";
}

StagePlan PlanStage(const MegatronVersion& version, MegatronFamily family,
                    int asked) {
  StagePlan plan;
  plan.asked = asked;
  const int minor = MinorOf(version);
  if (minor < kOldestMegatronMinor) {
    plan.reason = "Megatron-LM " + version.text +
                  " is older than what this runner knows (0." +
                  std::to_string(kOldestMegatronMinor) + ")";
    return plan;
  }
  for (int stage = asked; stage >= 0; --stage) {
    const Row* const row = FindRow(minor, family, stage);
    if (row == nullptr) {
      continue;
    }
    plan.effective = stage;
    plan.flags = WordsOf(row->flags);
    plan.checkpoint_format = row->checkpoint_format;
    plan.connections_unset = family == MegatronFamily::kFsdp;
    plan.warning = row->warning;
    break;
  }
  if (!plan.possible() || plan.effective != asked) {
    plan.reason = Refusal(version, family, asked);
  }
  return plan;
}

}  // namespace zs
