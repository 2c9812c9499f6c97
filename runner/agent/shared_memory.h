// Shared memory that processes leave behind when they are killed.
#ifndef RUNNER_AGENT_SHARED_MEMORY_H_
#define RUNNER_AGENT_SHARED_MEMORY_H_

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runner/agent/process_table.h"

namespace zs {

// Files below FOLDER, /dev/shm but for tests, that are known to belong to
// processes because they had them mapped. Files that were only created there
// are nobody's: another program of the same user may want them.
class SharedMemory {
 public:
  explicit SharedMemory(std::string folder = "/dev/shm")
      : prefix_(std::move(folder) + "/") {}

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
  std::string prefix_;
  std::set<std::string> paths_;
};

}  // namespace zs

#endif  // RUNNER_AGENT_SHARED_MEMORY_H_
