// The content of files on this host that keys are formed of, and whether they
// still are what they were.
#ifndef RUNNER_SWEEP_KEYED_CONTENT_H_
#define RUNNER_SWEEP_KEYED_CONTENT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/api/run_config.h"
#include "runner/plan/spec/experiment.h"

namespace zs {

// A file or folder as it was before it was read.
struct FileStamp {
  std::string path;
  int64_t bytes = -1;  // -1: it was not there
  uint64_t inode = 0;
  int64_t changed_ns = 0;  // change of content or of status; -1: so shortly
                           // before that a further one might not show

  bool operator==(const FileStamp& other) const = default;
};

FileStamp StampOf(const std::string& path);

using FileStamps = std::vector<FileStamp>;

struct KeyedContent {
  std::string text;  // a part of a key; empty: nothing
  std::vector<std::shared_ptr<const FileStamps>> files;  // what it is formed of
};

// The first of FILES that is not, or may not be, as it was; empty where all
// are.
std::string FirstTouched(
    const std::vector<std::shared_ptr<const FileStamps>>& files);

// Reads each file and each tree once. Not thread-safe.
class ContentReader {
 public:
  // What an experiment on this host that does not run our engine is made of:
  // "program" (torchrun, where that starts the ranks), "word N" for each other
  // of its words that is a file, and "tree", the sources below Megatron's root.
  // What is not there is left out. Errors are those of reading, with the path.
  Result<KeyedContent> Program(const Experiment& experiment);

  // DataFingerprint with its stamps.
  Result<KeyedContent> Data(const DataConfig& data);

 private:
  Result<const KeyedContent*> File(const std::string& path);
  Result<const KeyedContent*> Tree(const std::string& root);

  std::map<std::string, KeyedContent> files_;  // by path
  std::map<std::string, KeyedContent> trees_;  // by root
  std::map<std::string, KeyedContent> data_;   // by place
};

}  // namespace zs

#endif  // RUNNER_SWEEP_KEYED_CONTENT_H_
