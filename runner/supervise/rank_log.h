// The raw output of one rank as a file that grows while the run goes on.
#ifndef RUNNER_SUPERVISE_RANK_LOG_H_
#define RUNNER_SUPERVISE_RANK_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/status.h"

namespace zs {

// Writes PATH up to half of the cap, and what comes then into PATH.tail0 and
// PATH.tail1 in turn, each a quarter of the cap, so that of a flood the
// beginning and the end are kept. Close joins them with a line that tells how
// much is missing between.
//
// A write that fails (a full disk) stops nothing: what was lost is counted, and
// the first error kept. A tail that cannot be joined stays beside PATH.
class RankLog {
 public:
  // An empty PATH keeps nothing.
  RankLog(std::string path, int64_t cap_bytes);

  void Append(std::string_view bytes);
  // BYTES were lost before they came here.
  void Gap(int64_t bytes);
  void Close();

  // The first error, and how much was not written because of errors.
  const Status& status() const { return status_; }
  int64_t lost_bytes() const { return lost_bytes_; }
  const std::string& path() const { return path_; }
  // Tails that Close could not join, whole, oldest first.
  const std::vector<std::string>& kept() const { return kept_; }

 private:
  std::string TailPath(int tail) const;
  void SwitchTail();
  void Write(std::string_view bytes);
  void JoinTail(int tail);

  std::string path_;
  int64_t cap_bytes_;
  Descriptor file_;      // PATH, or the tail in use
  int tail_ = -1;        // in use; -1: PATH itself
  int64_t in_file_ = 0;  // bytes in the file in use
  int64_t in_other_tail_ = 0;
  int64_t cut_bytes_ = 0;  // between PATH and the tails
  int64_t lost_bytes_ = 0;
  std::vector<std::string> kept_;
  Status status_;
};

}  // namespace zs

#endif  // RUNNER_SUPERVISE_RANK_LOG_H_
