// Queries for figures beyond training steps: predictions, bandwidth curves.
#include "results/store/database.h"
#include "results/store/reader.h"

namespace zs::results {

Result<std::vector<PredictionRow>> Reader::Predictions(int64_t run_id) const {
  ASSIGN_OR_RETURN(Statement find,
                   database_.Prepare("SELECT term, value, profile"
                                     " FROM predictions WHERE run_id = ?"
                                     " ORDER BY term"));
  find.Bind(run_id);
  return Collect<PredictionRow>(find, [](Statement& row) {
    PredictionRow p;
    row.Read(p.term, p.value, p.profile);
    return p;
  });
}

Result<std::vector<BandwidthRow>> Reader::Bandwidths(int64_t run_id) const {
  ASSIGN_OR_RETURN(
      Statement find,
      database_.Prepare("SELECT op, size_bytes, ms, algbw_gb_s, busbw_gb_s,"
                        " wrong, in_place, calls FROM collectives"
                        " WHERE run_id = ?"
                        " AND size_bytes IS NOT NULL"
                        " ORDER BY op, size_bytes, step"));
  find.Bind(run_id);
  return Collect<BandwidthRow>(find, [](Statement& row) {
    BandwidthRow b;
    std::optional<int64_t> in_place;
    row.Read(b.op, b.size_bytes, b.ms, b.algbw_gb_s, b.busbw_gb_s, b.wrong,
             in_place, b.calls);
    if (in_place) {
      b.in_place = *in_place != 0;
    }
    return b;
  });
}

}  // namespace zs::results
