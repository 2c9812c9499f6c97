// Shared memory that processes leave behind when they are killed.
#ifndef RUNNER_AGENT_SHARED_MEMORY_H_
#define RUNNER_AGENT_SHARED_MEMORY_H_

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/agent/process_table.h"

namespace zs {

// Files below FOLDER, /dev/shm but for tests, that are known to belong to
// processes because they had them mapped and because they were not there
// before. Files that were only created there are nobody's: another program of
// the same user may want them. What was there before is the user's (a data set
// that was put into memory).
class SharedMemory {
 public:
  explicit SharedMemory(std::string folder = "/dev/shm")
      : prefix_(std::move(folder) + "/") {}

  // Before the first process of a run is started: what is there now is never
  // removed, nor what lies below a folder of it. Nothing on a second call
  // before Remove. Without this call only what has the name of a file of NCCL
  // or PyTorch (IsTrainingShm) is removed: another agent's processes.
  void NoteWhatIsThere();

  // Remembers what PROCESSES have mapped now.
  void Look(const std::vector<ProcessInfo>& processes);
  // The same for one process whose /proc/PID/maps is TEXT.
  void LookAt(std::string_view maps);

  struct Left {
    int64_t removed = 0;     // files
    int64_t left_bytes = 0;  // of files that could not be removed
  };
  // The processes are gone: removes what they have left, and forgets it.
  Left Remove();

 private:
  // Whether PATH, or the folder it lies in, may go.
  bool IsOfTheRun(const std::string& path) const;

  std::string prefix_;
  std::set<std::string> paths_;
  bool noted_ = false;
  // Device and inode of each entry of the folder.
  std::set<std::pair<dev_t, ino_t>> there_before_;
};

}  // namespace zs

#endif  // RUNNER_AGENT_SHARED_MEMORY_H_
