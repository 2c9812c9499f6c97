// Where a run's bytes and milliseconds went.
#ifndef RESULTS_REPORT_LEDGER_H_
#define RESULTS_REPORT_LEDGER_H_

#include "base/status.h"
#include "results/report/table.h"
#include "results/store/reader.h"

namespace zs::results {

// For each operation in WINDOW of RUN_ID: calls, bytes and ms a step on rank 0
// beside the bytes that theory gives for the stage, and where they differ by
// more than 1% of all; then what of it was waited for, and the overlap. Empty
// where nothing is recorded.
Result<Table> CommunicationLedger(const Reader& reader, int64_t run_id,
                                  StepWindow window);

// A step in WINDOW of RUN_ID: the whole, data, forward, backward, optimizer,
// exposed communication and what is left (host gaps): median, 95th percentile
// and share of the time, beside what was predicted, and the steps in order as a
// sparkline. Empty where no step of the window has a time.
Result<Table> TimeLedger(const Reader& reader, int64_t run_id,
                         StepWindow window);

// Where the time of a sweep went: measured steps, warm-up, start and clean-up
// of runs that passed; runs that did not; checks and what is between runs.
Result<Table> SweepLedger(const Reader& reader, const SweepRow& sweep);

}  // namespace zs::results

#endif  // RESULTS_REPORT_LEDGER_H_
