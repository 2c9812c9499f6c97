// The communication ledger: each collective operation of a run's steps.
#ifndef RESULTS_REPORT_OPERATIONS_H_
#define RESULTS_REPORT_OPERATIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/report/table.h"
#include "results/store/reader.h"

namespace zs::results {

// One operation of a step on rank 0, averaged over a window.
struct Operation {
  std::string op;
  std::optional<double> calls;
  std::optional<double> bytes;         // sent
  std::optional<double> theory_bytes;  // that the stage needs to send
  std::optional<double> ms;            // inside the operation, hidden or not
  // Bytes are off theory by more than 1% of what all operations should send.
  bool differs = false;
};

// By name; those that theory asks for and nobody saw are among them.
Result<std::vector<Operation>> OperationsOf(const Reader& reader,
                                            int64_t run_id, StepWindow window);

// The ledger's columns, and an operation's cells under them.
std::vector<Column> OperationColumns();
std::vector<Cell> OperationCells(const Operation& operation);

}  // namespace zs::results

#endif  // RESULTS_REPORT_OPERATIONS_H_
