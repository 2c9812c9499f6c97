#include "engine/checkpoint/load.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/hash.h"
#include "engine/checkpoint/agreement.h"
#include "engine/data/random_access_file.h"

namespace zs {
namespace {

constexpr int64_t kBlockElements = int64_t{1} << 18;

// One load, seen from one rank.
class Load {
 public:
  Load(const RunConfig& config, ShardedUnits& units, Ops& ops,
       Communicator& comm)
      : config_(config), units_(units), ops_(ops), comm_(comm) {}

  Result<LoadedCheckpoint> Run() {
    RETURN_IF_ERROR(Agree(comm_, Open()));
    RETURN_IF_ERROR(AgreeOnStep());
    RETURN_IF_ERROR(Agree(comm_, CheckFiles()));
    RETURN_IF_ERROR(Agree(comm_, ReadFiles()));
    return LoadedCheckpoint{dir_, manifest_.position, bytes_};
  }

 private:
  Status Open() {
    ASSIGN_OR_RETURN(dir_, FindCheckpoint(config_.checkpoint.load_dir));
    const std::string path = dir_ + "/" + kManifestName;
    const Result<std::string> text = ReadFile(path);
    if (!text.ok()) {
      return DataLossError("the checkpoint is incomplete: " +
                           text.status().message());
    }
    Result<CheckpointManifest> manifest = ParseManifest(*text, config_);
    if (!manifest.ok()) {
      return manifest.status().WithContext(path);
    }
    manifest_ = std::move(manifest).value();
    for (const Unit& unit : units_.units()) {
      saved_.emplace_back(unit.size, manifest_.world_size());
    }
    return CheckSizes();
  }

  std::string PathOf(int file) const { return dir_ + "/" + RankFileName(file); }

  Status CheckSizes() const {
    const int64_t wanted = RankFileBytes(saved_);
    for (int file = 0; file < manifest_.world_size(); ++file) {
      const Result<int64_t> size = FileSizeBytes(PathOf(file));
      if (!size.ok()) {
        return DataLossError("the checkpoint is incomplete: " +
                             size.status().message());
      }
      if (*size != wanted || manifest_.files[file].size_bytes != wanted) {
        return DataLossError(PathOf(file) + " has " + std::to_string(*size) +
                             " bytes; " + std::to_string(wanted) +
                             " are needed, and the manifest says " +
                             std::to_string(manifest_.files[file].size_bytes));
      }
    }
    return OkStatus();
  }

  // Another rank might have found another checkpoint in the folder.
  Status AgreeOnStep() {
    std::vector<double> steps(comm_.size());
    steps[comm_.rank()] = static_cast<double>(manifest_.position.step);
    RETURN_IF_ERROR(comm_.AllGather(std::span<double>(steps)).Wait());
    for (int rank = 0; rank < comm_.size(); ++rank) {
      if (steps[rank] != steps[0]) {
        return FailedPreconditionError(
            "rank " + std::to_string(rank) +
            " and rank 0 found different "
            "checkpoints in " +
            config_.checkpoint.load_dir +
            "; it must be a folder that all nodes share");
      }
    }
    return OkStatus();
  }

  // Checks every size()-th file.
  Status CheckFiles() {
    for (int file = comm_.rank(); file < manifest_.world_size();
         file += comm_.size()) {
      RETURN_IF_ERROR(CheckFile(file));
    }
    return OkStatus();
  }

  // Compares checksum and header.
  Status CheckFile(int file) const {
    const std::string path = PathOf(file);
    ASSIGN_OR_RETURN(const std::string sha256, Sha256HexOfFile(path));
    if (sha256 != manifest_.files[file].sha256) {
      return DataLossError(path + " is damaged: its SHA-256 is " + sha256 +
                           ", the manifest says " +
                           manifest_.files[file].sha256);
    }
    const auto wanted =
        CheckpointHeader(file, manifest_.world_size(), manifest_.position.step);
    auto found = wanted;
    ASSIGN_OR_RETURN(const RandomAccessFile open, RandomAccessFile::Open(path));
    RETURN_IF_ERROR(open.Read(0, found.data(), std::ssize(found)));
    return found == wanted
               ? OkStatus()
               : DataLossError(path + " is another rank's or step's file");
  }

  // One file after the other: a checkpoint may have more of them than a process
  // may open.
  Status ReadFiles() {
    for (int file = 0; file < manifest_.world_size(); ++file) {
      ASSIGN_OR_RETURN(const RandomAccessFile open,
                       RandomAccessFile::Open(PathOf(file)));
      RETURN_IF_ERROR(ReadUnits({file, open}));
    }
    return ops_.Finish();
  }

  // The open file of rank RANK.
  struct Source {
    int rank;
    const RandomAccessFile& file;
  };

  Status ReadUnits(const Source& source) {
    for (size_t u = 0; u < saved_.size(); ++u) {
      const int unit = static_cast<int>(u);
      const Range moments = units_.OptimizerRange(unit);
      RETURN_IF_ERROR(ReadPart(source, unit, ShardPart::kParameters,
                               {0, units_.partition(unit).padded},
                               units_.parameters(unit)));
      RETURN_IF_ERROR(ReadPart(source, unit, ShardPart::kFirstMoments, moments,
                               units_.first_moments(unit)));
      RETURN_IF_ERROR(ReadPart(source, unit, ShardPart::kSecondMoments, moments,
                               units_.second_moments(unit)));
    }
    return OkStatus();
  }

  // Reads those elements of RANGE (of a unit) that SOURCE holds to TO, whose
  // first element is RANGE's.
  Status ReadPart(const Source& source, int unit, ShardPart part,
                  const Range& range, float* to) {
    const UnitPartition& saved = saved_[unit];
    const Range common = Intersection(saved.Owned(source.rank), range);
    const int64_t first = saved.Shard(source.rank).begin;
    for (int64_t at = common.begin; at < common.end; at += kBlockElements) {
      block_.resize(std::min(kBlockElements, common.end - at));
      const int64_t bytes = std::ssize(block_) * 4;
      RETURN_IF_ERROR(
          source.file.Read(PartOffset(saved_, unit, part) + (at - first) * 4,
                           block_.data(), bytes));
      ops_.Upload(block_.data(), to + (at - range.begin), bytes);
      bytes_ += bytes;
    }
    return OkStatus();
  }

  const RunConfig& config_;
  ShardedUnits& units_;
  Ops& ops_;
  Communicator& comm_;
  std::string dir_;
  CheckpointManifest manifest_;
  std::vector<UnitPartition> saved_;  // as the checkpoint is cut
  std::vector<float> block_;
  int64_t bytes_ = 0;
};

}  // namespace

Result<std::string> FindCheckpoint(const std::string& dir) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(dir + "/" + kManifestName, error) ||
      StepOfCheckpoint(fs::path(dir).filename().string()) >= 0) {
    return dir;
  }
  int64_t newest = -1;
  for (auto entry = fs::directory_iterator(dir, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    newest =
        std::max(newest, StepOfCheckpoint(entry->path().filename().string()));
  }
  if (error) {
    return ErrnoError(error.value(), "checkpoint.load_dir " + dir);
  }
  if (newest < 0) {
    return NotFoundError("checkpoint.load_dir " + dir +
                         " holds no checkpoint (no folder step_N)");
  }
  return dir + "/" + CheckpointName(newest);
}

Result<LoadedCheckpoint> LoadCheckpoint(const RunConfig& config,
                                        ShardedUnits& units, Ops& ops,
                                        Communicator& comm) {
  return Load(config, units, ops, comm).Run();
}

}  // namespace zs
