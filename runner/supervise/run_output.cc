// The part of Run that passes on what ranks print.
#include <string>

#include "runner/supervise/run.h"

namespace zs {

void Run::OnOutput(const NodeLink& link, const OutputMsg& output) {
  RankRecord* record = Find(output.id);
  if (record == nullptr) {
    return;
  }
  record->log->Gap(output.dropped_bytes);
  record->log->Append(output.bytes);
  record->exit.dropped_bytes += output.dropped_bytes;
  record->exit.output_bytes +=
      output.dropped_bytes + static_cast<int64_t>(output.bytes.size());
  const bool is_stderr = output.stream == 2;
  const OutputStream stream =
      is_stderr ? OutputStream::kStderr : OutputStream::kStdout;
  NodeLog& node_log = node_logs_[link.index()];
  node_log.Gap(record->exit.rank, stream, output.unix_us, output.dropped_bytes);
  node_log.Append(record->exit.rank, stream, output.unix_us, output.bytes);
  (is_stderr ? record->err : record->out).Append(output.bytes);
  if (!outcome_.timings.first_output_s) {
    outcome_.timings.first_output_s = Now();
  }
  if (!request_.start_by_observer) {
    RankStarted(record->exit.rank);
  }
  if (!record->exit.ended) {
    observer_.OnOutput({record->exit.rank, stream, output.unix_us,
                        output.dropped_bytes, output.bytes},
                       *this);
  }
}

}  // namespace zs
