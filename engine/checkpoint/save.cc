#include "engine/checkpoint/save.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/hash.h"
#include "engine/checkpoint/agreement.h"

namespace zs {
namespace {

constexpr int64_t kBlockElements = int64_t{1} << 18;
// A file's description among the ranks: its size, and its SHA-256 as eight
// numbers of 32 bits, which doubles hold exactly.
constexpr size_t kDescription = 9;

// Removes the folder at PATH with all in it, whether it is there or not.
void RemoveFolder(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

// Writes a file and takes its checksum on the way.
class ChecksummedFile {
 public:
  explicit ChecksummedFile(std::string path)
      : path_(std::move(path)),
        fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                   0666)) {}

  Status Write(const void* data, int64_t size) {
    if (!fd_.valid()) {
      return ErrnoError(errno, "create " + path_);
    }
    hash_.Update(data, static_cast<size_t>(size));
    size_bytes_ += size;
    const char* at = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t n = ::write(fd_.get(), at, static_cast<size_t>(size));
      if (n < 0 && errno != EINTR) {
        return ErrnoError(errno, "write " + path_);
      }
      at += std::max<ssize_t>(n, 0);
      size -= std::max<ssize_t>(n, 0);
    }
    return OkStatus();
  }

  // Flushes the file to the disk.
  Result<CheckpointFile> Finish() {
    if (::fsync(fd_.get()) != 0) {
      return ErrnoError(errno, "fsync " + path_);
    }
    const int fd = fd_.Release();
    if (::close(fd) != 0) {  // where a network file system reports a full disk
      return ErrnoError(errno, "close " + path_);
    }
    return CheckpointFile{size_bytes_, hash_.HexDigest()};
  }

 private:
  const std::string path_;
  Descriptor fd_;
  Sha256 hash_;
  int64_t size_bytes_ = 0;
};

// One save, seen from one rank.
class Save {
 public:
  Save(const RunConfig& config, const TrainingPosition& position,
       ShardedUnits& units, Ops& ops, Communicator& comm)
      : config_(config),
        position_(position),
        units_(units),
        ops_(ops),
        comm_(comm),
        dir_(config.checkpoint.save_dir + "/" + CheckpointName(position.step)),
        temporary_(config.checkpoint.save_dir + "/." +
                   CheckpointName(position.step) + ".tmp") {}

  Result<SavedCheckpoint> Run() {
    const Status status = Write();
    if (!status.ok()) {
      if (comm_.rank() == 0) {
        RemoveFolder(temporary_);
      }
      return status.WithContext("checkpoint " + dir_);
    }
    return SavedCheckpoint{dir_, file_.size_bytes};
  }

 private:
  Status Write() {
    RETURN_IF_ERROR(Agree(comm_, MakeFolder()));
    Result<CheckpointFile> file = WriteFile();
    if (file.ok()) {
      file_ = *file;
    }
    RETURN_IF_ERROR(Agree(comm_, file.status()));
    RETURN_IF_ERROR(CollectFiles());
    return Agree(comm_, comm_.rank() == 0 ? Publish() : OkStatus());
  }

  Status MakeFolder() {
    if (comm_.rank() != 0) {
      return OkStatus();
    }
    RemoveTemporaries();
    return MakeFolders(temporary_);
  }

  // What saves that were interrupted left, of whatever step.
  void RemoveTemporaries() {
    constexpr std::string_view kEnd = ".tmp";
    std::error_code error;
    const std::filesystem::directory_iterator end;
    for (std::filesystem::directory_iterator entry(config_.checkpoint.save_dir,
                                                   error);
         !error && entry != end; entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (name.starts_with('.') && name.ends_with(kEnd) &&
          StepOfCheckpoint(name.substr(1, name.size() - 1 - kEnd.size())) >=
              0) {
        RemoveFolder(entry->path().string());
      }
    }
  }

  Result<CheckpointFile> WriteFile() {
    ChecksummedFile file(temporary_ + "/" + RankFileName(comm_.rank()));
    const auto header =
        CheckpointHeader(comm_.rank(), comm_.size(), position_.step);
    RETURN_IF_ERROR(file.Write(header.data(), std::ssize(header)));
    for (size_t u = 0; u < units_.units().size(); ++u) {
      const int unit = static_cast<int>(u);
      const Range shard = units_.partition(unit).Shard(comm_.rank());
      const int64_t moments = shard.begin - units_.OptimizerRange(unit).begin;
      RETURN_IF_ERROR(WriteShard(unit, ShardPart::kParameters,
                                 units_.parameters(unit) + shard.begin, file));
      RETURN_IF_ERROR(WriteShard(unit, ShardPart::kFirstMoments,
                                 units_.first_moments(unit) + moments, file));
      RETURN_IF_ERROR(WriteShard(unit, ShardPart::kSecondMoments,
                                 units_.second_moments(unit) + moments, file));
    }
    return file.Finish();
  }

  // DATA: this rank's shard of PART of UNIT.
  Status WriteShard(int unit, ShardPart part, const float* data,
                    ChecksummedFile& file) {
    const Range shard = units_.partition(unit).Shard(comm_.rank());
    for (int64_t at = 0; at < shard.size(); at += kBlockElements) {
      block_.resize(std::min(kBlockElements, shard.size() - at));
      const int64_t bytes = std::ssize(block_) * 4;
      RETURN_IF_ERROR(ops_.Download(data + at, block_.data(), bytes));
      if (part == ShardPart::kParameters) {
        RETURN_IF_ERROR(CheckFinite(unit, shard.begin + at));
      }
      RETURN_IF_ERROR(file.Write(block_.data(), bytes));
    }
    return OkStatus();
  }

  // The update after the last gradients that were looked at may have given
  // parameters that are none. The block begins at element FIRST of UNIT.
  Status CheckFinite(int unit, int64_t first) const {
    const int64_t real =
        std::min(units_.units()[unit].size - first, std::ssize(block_));
    for (int64_t i = 0; i < real; ++i) {
      if (!std::isfinite(block_[i])) {
        return FailedPreconditionError(
            "element " + std::to_string(first + i) + " of " +
            units_.units()[unit].name + " is " + std::to_string(block_[i]) +
            " after step " + std::to_string(position_.step) +
            "; a lower train.lr or a longer train.lr_warmup_steps may help");
      }
    }
    return OkStatus();
  }

  // Tells every rank of every file.
  Status CollectFiles() {
    std::vector<double> all(kDescription * comm_.size());
    double* mine = all.data() + kDescription * comm_.rank();
    mine[0] = static_cast<double>(file_.size_bytes);
    for (size_t i = 1; i < kDescription; ++i) {
      mine[i] = static_cast<double>(
          std::stoul(file_.sha256.substr((i - 1) * 8, 8), nullptr, 16));
    }
    RETURN_IF_ERROR(comm_.AllGather(std::span<double>(all)).Wait());
    for (int rank = 0; rank < comm_.size(); ++rank) {
      const double* entry = all.data() + kDescription * rank;
      CheckpointFile file = {static_cast<int64_t>(entry[0]), ""};
      for (size_t i = 1; i < kDescription; ++i) {
        std::array<char, 9> word = {};
        std::snprintf(word.data(), word.size(), "%08x",
                      static_cast<unsigned>(entry[i]));
        file.sha256 += word.data();
      }
      files_.push_back(std::move(file));
    }
    return OkStatus();
  }

  // Rank 0: completes the folder and gives it its name.
  Status Publish() {
    for (int rank = 0; rank < comm_.size(); ++rank) {
      const std::string path = temporary_ + "/" + RankFileName(rank);
      const Result<int64_t> size = FileSizeBytes(path);
      if (!size.ok() || *size != files_[rank].size_bytes) {
        return FailedPreconditionError(
            path + " is not to be seen by rank 0 as rank " +
            std::to_string(rank) +
            " wrote it; checkpoint.save_dir must be a folder that all nodes "
            "share");
      }
    }
    CheckpointManifest manifest;
    manifest.position = position_;
    manifest.zero_stage = config_.train.zero_stage;
    manifest.files = files_;
    RETURN_IF_ERROR(WriteFileAtomically(temporary_ + "/" + kManifestName,
                                        ManifestText(manifest, config_)));
    RETURN_IF_ERROR(SyncPath(temporary_));
    RETURN_IF_ERROR(Rename());
    return SyncPath(config_.checkpoint.save_dir);
  }

  Status Rename() {
    if (::rename(temporary_.c_str(), dir_.c_str()) == 0) {
      return OkStatus();
    }
    if (errno != ENOTEMPTY && errno != EEXIST) {
      return ErrnoError(errno, "rename " + temporary_);
    }
    // The same step was saved before: exchange the two in one step, then drop
    // the old one.
    if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, dir_.c_str(),
                    RENAME_EXCHANGE) != 0) {
      return ErrnoError(errno, "replace " + dir_);
    }
    RemoveFolder(temporary_);
    return OkStatus();
  }

  const RunConfig& config_;
  const TrainingPosition position_;
  ShardedUnits& units_;
  Ops& ops_;
  Communicator& comm_;
  const std::string dir_;
  const std::string temporary_;
  std::vector<float> block_;
  CheckpointFile file_;
  std::vector<CheckpointFile> files_;  // by rank
};

}  // namespace

Result<SavedCheckpoint> SaveCheckpoint(const RunConfig& config,
                                       const TrainingPosition& position,
                                       ShardedUnits& units, Ops& ops,
                                       Communicator& comm) {
  return Save(config, position, units, ops, comm).Run();
}

}  // namespace zs
