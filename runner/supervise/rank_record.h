// What the supervisor knows of one rank while it runs, and which rank's end is
// the reason of the run's end.
#ifndef RUNNER_SUPERVISE_RANK_RECORD_H_
#define RUNNER_SUPERVISE_RANK_RECORD_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runner/supervise/observer.h"
#include "runner/supervise/outcome.h"
#include "runner/supervise/rank_log.h"
#include "runner/supervise/redactor.h"

namespace zs {

// The last bytes of a stream.
class OutputTail {
 public:
  void Append(std::string_view bytes);

  // The last MAX_LINES lines that are not blank, each cut to 500 bytes, with
  // control characters replaced; a line feed between them.
  std::string LastLines(int max_lines) const;

 private:
  std::string tail_;
};

struct RankRecord {
  RankExit exit;
  std::unique_ptr<RankLog> log;
  std::vector<Redactor> redactors;  // of stdout and stderr
  OutputTail out;
  OutputTail err;
  std::string error;  // what it has reported of itself; empty: nothing

  // The last lines of both streams.
  std::string LastLines() const;
};

// Whether the rank ended badly and not because the supervisor wanted it to.
bool FailedByItself(const RankExit& exit);

// The record whose rank failed first: of those that FailedByItself the first to
// end, and only where there is no other one with an exit code of CONSEQUENCES.
// Null: none failed.
const RankRecord* FirstFailed(const std::vector<RankRecord>& records,
                              const std::vector<int>& consequences);

// "rank 3 on g0034: exit 1; 'CUDA out of memory'".
std::string FailureReason(const RankRecord& record);

}  // namespace zs

#endif  // RUNNER_SUPERVISE_RANK_RECORD_H_
