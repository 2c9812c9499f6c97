// At most one runner writes a database.
#ifndef RESULTS_STORE_WRITER_LOCK_H_
#define RESULTS_STORE_WRITER_LOCK_H_

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/status.h"

namespace zs::results {

// Who holds a lock, told so that it is not taken for another process that has
// got its number since.
struct LockHolder {
  int64_t pid = 0;
  std::string host;
  std::string boot_id;       // of the host's kernel
  uint64_t start_ticks = 0;  // of the process, since boot (proc(5), starttime)
};

// Holds an exclusive lock on a file of its own (never the database's: closing
// any descriptor of that one would drop SQLite's locks). The lock vanishes with
// the process however it ends, and programs that the process starts do not get
// it. Movable.
class WriterLock {
 public:
  // Locks PATH, which is made if absent and stays behind. kUnavailable where
  // another process holds it for all of WAIT_MS: the message names process,
  // host and since when.
  static Result<WriterLock> Acquire(const std::string& path, int64_t wait_ms,
                                    const Clock& clock);

  // Who holds PATH now; kNotFound where nobody does.
  static Result<LockHolder> HolderOf(const std::string& path);

  ~WriterLock();
  WriterLock(WriterLock&& other) noexcept;
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  WriterLock& operator=(WriterLock&&) = delete;

 private:
  explicit WriterLock(int fd) : fd_(fd) {}
  Status Lock(const std::string& path, int64_t wait_ms, const Clock& clock);
  Status WriteHolder(const std::string& path, const Clock& clock) const;
  std::string ReadHolder() const;

  int fd_;  // -1 after a move
};

}  // namespace zs::results

#endif  // RESULTS_STORE_WRITER_LOCK_H_
