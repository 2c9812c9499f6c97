// How a checkpoint lies on disk.
//
//   SAVE_DIR/step_00000010/manifest.json     what follows, and checksums
//                          rank_00000.bin    one file a rank that saved
//
// A rank's file is a header of 64 bytes ("ZSCKPT1\n", then rank, world size and
// step as u64) and then, for each unit in order, its shard of the parameters,
// of the first moments and of the second moments: shard x fp32 each, padding
// included, little-endian. Nothing in it depends on the ZeRO stage.
#ifndef ENGINE_CHECKPOINT_CHECKPOINT_FORMAT_H_
#define ENGINE_CHECKPOINT_CHECKPOINT_FORMAT_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "engine/api/layout.h"
#include "engine/api/run_config.h"
#include "engine/zero/partition.h"

namespace zs {

inline constexpr int64_t kCheckpointHeaderBytes = 64;
inline constexpr const char* kManifestName = "manifest.json";

// Where a training stands.
struct TrainingPosition {
  int64_t step = 0;         // the last step done
  int64_t next_sample = 0;  // the first sample of the next step
  double loss = 0;          // of the last step
};

// One rank's file.
struct CheckpointFile {
  int64_t size_bytes = 0;
  std::string sha256;
};

struct CheckpointManifest {
  TrainingPosition position;
  int zero_stage = 0;                 // that it was saved under
  std::vector<CheckpointFile> files;  // by rank

  int world_size() const { return static_cast<int>(files.size()); }
};

// What a unit's shard holds, in the order of the file.
enum class ShardPart { kParameters = 0, kFirstMoments = 1, kSecondMoments = 2 };
inline constexpr std::array<ShardPart, 3> kShardParts = {
    ShardPart::kParameters, ShardPart::kFirstMoments,
    ShardPart::kSecondMoments};

// "step_00000010".
std::string CheckpointName(int64_t step);
// The step of such a name; -1 for any other text.
int64_t StepOfCheckpoint(const std::string& name);
// "rank_00003.bin".
std::string RankFileName(int rank);

// The first bytes of a rank's file.
std::array<char, kCheckpointHeaderBytes> CheckpointHeader(int rank,
                                                          int world_size,
                                                          int64_t step);

// Where PART of UNIT begins in a rank's file, and the size of all of it.
int64_t PartOffset(const std::vector<UnitPartition>& units, size_t unit,
                   ShardPart part);
int64_t RankFileBytes(const std::vector<UnitPartition>& units);

// The manifest as text. It also holds the model, its parameters by name, the
// training and its data, for other programs and for the comparison when it is
// loaded.
std::string ManifestText(const CheckpointManifest& manifest,
                         const RunConfig& config);

// The inverse. kDataLoss where TEXT is damaged; kFailedPrecondition where the
// checkpoint is of another format than this program's or of a model, seed,
// seq_len or data that CONFIG does not have: with those it would go on with
// other numbers. It names the field, what was found and what is wanted.
Result<CheckpointManifest> ParseManifest(const std::string& text,
                                         const RunConfig& config);

}  // namespace zs

#endif  // ENGINE_CHECKPOINT_CHECKPOINT_FORMAT_H_
