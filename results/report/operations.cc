#include "results/report/operations.h"

#include <cmath>
#include <map>
#include <utility>

namespace zs::results {
namespace {

constexpr double kTolerance = 0.01;

template <typename T>
std::optional<double> PerStep(std::optional<T> total, int64_t steps) {
  return total && steps > 0
             ? std::optional<double>(static_cast<double>(*total) /
                                     static_cast<double>(steps))
             : std::nullopt;
}

void MarkDifferent(std::vector<Operation>& operations) {
  double due = 0;
  bool sent = false;
  for (const Operation& o : operations) {
    due += o.theory_bytes.value_or(0);
    sent = sent || o.bytes;
  }
  for (Operation& o : operations) {
    const double off = o.bytes.value_or(0) - o.theory_bytes.value_or(0);
    o.differs = sent && due > 0 && std::abs(off) > kTolerance * due;
  }
}

Cell BytesOf(std::optional<double> bytes) {
  return BytesCell(bytes ? std::optional<int64_t>(std::llround(*bytes))
                         : std::nullopt);
}

}  // namespace

Result<std::vector<Operation>> OperationsOf(const Reader& reader,
                                            int64_t run_id, StepWindow window) {
  ASSIGN_OR_RETURN(const auto totals, reader.Communication(run_id, window));
  ASSIGN_OR_RETURN(const auto theory, reader.Theory(run_id));
  std::map<std::string, Operation> by_op;
  for (const CommTheory& due : theory) {
    by_op[due.op].theory_bytes = static_cast<double>(due.bytes_per_step);
  }
  for (const CommTotal& total : totals) {
    Operation& o = by_op[total.op];
    o.calls = PerStep(total.calls, total.steps);
    o.bytes = PerStep(total.bytes, total.steps);
    o.ms = PerStep(total.ms, total.steps);
  }
  std::vector<Operation> operations;
  for (auto& [op, operation] : by_op) {
    operation.op = op;
    operations.push_back(std::move(operation));
  }
  MarkDifferent(operations);
  return operations;
}

std::vector<Column> OperationColumns() {
  return {{"op", "operation", false}, {"calls", "calls", true},
          {"bytes", "sent", true},    {"theory", "in theory", true},
          {"ms", "ms inside", true},  {"gb_s", "GB/s sent", true},
          {"agrees", "", false}};
}

std::vector<Cell> OperationCells(const Operation& o) {
  const bool timed = o.bytes && o.ms && *o.ms > 0;
  return {TextCell(o.op),
          NumberCell(o.calls, 1),
          BytesOf(o.bytes),
          BytesOf(o.theory_bytes),
          NumberCell(o.ms, 2),
          timed ? NumberCell(*o.bytes / *o.ms / 1e6, 3) : UnknownCell(),
          TextCell(o.differs ? "DIFFERENT" : "")};
}

}  // namespace zs::results
