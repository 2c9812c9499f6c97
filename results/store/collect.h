// Rows of a query as values.
#ifndef RESULTS_STORE_COLLECT_H_
#define RESULTS_STORE_COLLECT_H_

#include <vector>

#include "base/status.h"
#include "results/store/database.h"
#include "results/store/record.h"

namespace zs::results {

// READ of every row that STATEMENT gives.
template <typename Row>
Result<std::vector<Row>> Collect(Statement& statement,
                                 Row (*read)(Statement&)) {
  std::vector<Row> rows;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, statement.Step());
    if (!more) {
      return rows;
    }
    rows.push_back(read(statement));
  }
}

// A row of: code, severity, node, rank, message, hint, evidence, count,
// at_unix_ms.
FindingRow ReadFinding(Statement& row);

}  // namespace zs::results

#endif  // RESULTS_STORE_COLLECT_H_
