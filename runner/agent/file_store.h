// Files that runners put on this host, below the agent's own folder.
#ifndef RUNNER_AGENT_FILE_STORE_H_
#define RUNNER_AGENT_FILE_STORE_H_

#include <random>
#include <string>
#include <vector>

#include "base/status.h"

namespace zs {

// Each file lies in ROOT/<folder>/<name>, where it appears whole or not at all;
// both are single words of letters, digits, '.', '_' and '-' that do not begin
// with a '.'. Arguments as in Facts (facts.h).
class FileStore {
 public:
  explicit FileStore(std::string root) : root_(std::move(root)) {}

  // {FOLDER, NAME}: lines "path PATH" and, where the file is there, "sha256 H".
  // A folder that is asked for is not removed for a week.
  Result<std::string> Stored(const std::vector<std::string>& args) const;

  // {FOLDER, NAME, OFFSET, BYTES}: part of a file to come; OFFSET 0 begins it.
  Result<std::string> Put(const std::vector<std::string>& args) const;

  // {FOLDER, NAME, SHA256}: what was put becomes the file, if its hash is this
  // one. Folders that were not asked for within a week are removed.
  Result<std::string> Keep(const std::vector<std::string>& args) const;

  // {FOLDER, NAME, ARG...}: what "run" answers for the file with these
  // arguments, within 10 s. "exit 0" is noted and answered again without a
  // start, until the file, the libraries that the loader knows (ld.so.cache) or
  // SURROUNDINGS have changed. kNotFound where the file is not there.
  Result<std::string> Starts(const std::vector<std::string>& args,
                             const std::string& surroundings) const;

 private:
  Result<std::string> PathOf(const std::vector<std::string>& args,
                             size_t count) const;
  // The SHA-256 of the file at PATH; of one that has not changed since it was
  // last formed, as it was noted then.
  Result<std::string> HashOf(const std::string& path) const;
  // Writes TEXT, made of what IDENTITY says, to the file NOTE.
  void Note(const std::string& note, const std::string& identity,
            const std::string& text) const;
  // Where PATH is until it is whole.
  std::string PartOf(const std::string& path) const;
  void RemoveOld() const;

  std::string root_;
  // Nobody else's: nodes may share the folder, and process ids be the same.
  std::string part_ = ".part-" + std::to_string(std::random_device()());
};

// The folder of this program and "/files".
std::string FilesOfThisProgram();

}  // namespace zs

#endif  // RUNNER_AGENT_FILE_STORE_H_
