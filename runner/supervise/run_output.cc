// The part of Run that passes on what ranks print, and hears what it meant.
#include <string>

#include "runner/supervise/run.h"

namespace zs {

void Run::OnOutput(const NodeLink& link, const OutputMsg& output) {
  RankRecord* record = Find(output.id);
  if (record == nullptr) {
    return;
  }
  const bool is_stderr = output.stream == 2;
  const OutputChunk chunk{
      .rank = record->exit.rank,
      .stream = is_stderr ? OutputStream::kStderr : OutputStream::kStdout,
      .unix_us = output.unix_us,
      .dropped_bytes = output.dropped_bytes,
      .bytes = record->redactors[is_stderr ? 1 : 0].Feed(output.bytes)};
  record->exit.dropped_bytes += output.dropped_bytes;
  record->exit.output_bytes +=
      output.dropped_bytes + static_cast<int64_t>(output.bytes.size());
  if (!outcome_.timings.first_output_s) {
    outcome_.timings.first_output_s = Now();
  }
  if (!request_.start_by_observer) {
    RankStarted(record->exit.rank);
  }
  Deliver(link, *record, chunk);
}

void Run::Deliver(const NodeLink& link, RankRecord& record,
                  const OutputChunk& chunk) {
  const bool is_stderr = chunk.stream == OutputStream::kStderr;
  record.log->Gap(chunk.dropped_bytes);
  record.log->Append(chunk.bytes);
  NodeLog& node_log = node_logs_[link.index()];
  node_log.Gap(chunk.rank, chunk.stream, chunk.unix_us, chunk.dropped_bytes);
  node_log.Append(chunk.rank, chunk.stream, chunk.unix_us, chunk.bytes);
  (is_stderr ? record.err : record.out).Append(chunk.bytes);
  if (!record.exit.ended) {
    observer_.OnOutput(chunk, *this);
  }
}

void Run::DeliverRest(const NodeLink& link, RankRecord& record,
                      int64_t unix_us) {
  for (size_t i = 0; i < record.redactors.size(); ++i) {
    const std::string rest = record.redactors[i].Take();
    if (!rest.empty()) {
      Deliver(link, record,
              {.rank = record.exit.rank,
               .stream = i == 0 ? OutputStream::kStdout : OutputStream::kStderr,
               .unix_us = unix_us,
               .bytes = rest});
    }
  }
}

void Run::RankStarted(int rank) {
  deadlines_.RankStarted(rank, Now());
  outcome_.timings.all_started_s = deadlines_.all_started_s();
}

void Run::StepDone(int64_t step) {
  deadlines_.StepDone(step, Now());
  outcome_.timings.first_step_s = deadlines_.first_step_s();
}

void Run::Alive() {
  deadlines_.Alive(Now());
}

void Run::ErrorSeen(int rank, std::string_view what) {
  RankRecord* record = Find(rank);
  if (record != nullptr && record->error.empty()) {
    record->error = what;
    deadlines_.ErrorSeen(Now());
  }
}

}  // namespace zs
