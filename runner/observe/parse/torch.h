// PyTorch's and torchrun's lines: failure reports, watchdog, store, launches.
#ifndef RUNNER_OBSERVE_PARSE_TORCH_H_
#define RUNNER_OBSERVE_PARSE_TORCH_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "runner/observe/parse/observation.h"

namespace zs {

// The parsers' contract stands in megatron.h.

// "failed (exitcode: 1) local_rank: 0 (pid: 715) of binary: ..."
size_t ParseWorkerFailed(const LogLine& line, size_t at, ObservationSink& sink);
// "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=6, ...)"
size_t ParseWatchdogTimeout(const LogLine& line, size_t at,
                            ObservationSink& sink);
// "last enqueued [NCCL] work: 6, last completed [NCCL] work: 5"
size_t ParseWatchdogProgress(const LogLine& line, size_t at,
                             ObservationSink& sink);
// "Waiting in store based barrier ... (world_size=8, worker_count=7, ...)"
size_t ParseStoreBarrier(const LogLine& line, size_t at, ObservationSink& sink);
// "torchrun --nnodes=2 ...", "python -m torch.distributed.run ..."
size_t ParseLaunchCommand(const LogLine& line, size_t at,
                          ObservationSink& sink);
// DeepSpeed's launcher: "dist_world_size=16"
size_t ParseDistWorldSize(const LogLine& line, size_t at,
                          ObservationSink& sink);

// Gathers torchrun's failure report, whose facts stand on lines of their own.
// One report at a time; reports of several nodes in one file may follow each
// other but not mix line by line.
class FailureReport {
 public:
  // A line with one of the report's words at AT.
  size_t Parse(const LogLine& line, size_t at, ObservationSink& sink);

  // True while the lines after "Root Cause" are wanted, words or not: some
  // collectors put the values on lines of their own.
  bool wants_lines() const { return lines_left_ > 0; }
  // Whether there was a report: what follows may refer to it.
  bool seen() const { return reports_ > 0; }
  void TakeLine(const LogLine& line);

 private:
  void TakeExit(const LogLine& line, std::string_view text,
                ObservationSink& sink);

  std::string host_;
  double time_s_ = kNoNumber;
  int rank_ = -1;
  int local_rank_ = -1;
  bool first_observed_ = false;
  int lines_left_ = 0;
  int64_t reports_ = 0;      // lines that Parse has seen
  bool after_date_ = false;  // the last line was a date alone
};

}  // namespace zs

#endif  // RUNNER_OBSERVE_PARSE_TORCH_H_
