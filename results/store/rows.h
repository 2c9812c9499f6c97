// Writes the rows that hang on a run. Each function is a part of a transaction
// that the caller has begun.
#ifndef RESULTS_STORE_ROWS_H_
#define RESULTS_STORE_ROWS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "base/status.h"
#include "results/store/database.h"
#include "results/store/record.h"

namespace zs::results {

// WRITE in a transaction of its own.
Status InTransaction(Database& database,
                     const std::function<Status(Database&)>& write);

// The same if the run is open. kNotFound where there is no such run;
// kFailedPrecondition where it is finished.
Status InOpenRun(Database& database, int64_t run_id,
                 const std::function<Status(Database&)>& write);

Status WriteEffective(Database& database, int64_t run_id,
                      const Effective& effective);
Status WriteNodes(Database& database, int64_t run_id,
                  const std::vector<NodeRow>& nodes);
// The clean-up receipt of a node on record; kNotFound where it is not.
Status UpdateReceipt(Database& database, int64_t run_id, const NodeRow& node);
Status WriteRanks(Database& database, int64_t run_id,
                  const std::vector<RankRow>& ranks);
Status WriteSteps(Database& database, int64_t run_id,
                  const std::vector<StepRow>& steps);
Status WriteMemory(Database& database, int64_t run_id, MemoryKind kind,
                   const std::vector<MemoryRow>& rows);
Status WriteTheory(Database& database, int64_t run_id,
                   const std::vector<CommTheory>& theory);
Status WritePredictions(Database& database, int64_t run_id,
                        const std::vector<PredictionRow>& predictions);
Status WriteGpuSamples(Database& database, int64_t run_id,
                       const std::vector<GpuSample>& samples);
Status WriteArtifacts(Database& database, int64_t run_id,
                      const std::vector<ArtifactRow>& artifacts);
// RUN_ID 0: of the sweep as a whole. Secrets in texts are masked.
Status WriteFindings(Database& database, int64_t sweep_id, int64_t run_id,
                     const std::vector<FindingRow>& findings);
Status WriteChecks(Database& database, int64_t sweep_id, int64_t run_id,
                   const std::vector<CheckRow>& checks);

Status WriteBaseline(Database& database, const BaselineRow& baseline);
Status WriteNoiseFloor(Database& database, const NoiseFloor& floor);

}  // namespace zs::results

#endif  // RESULTS_STORE_ROWS_H_
