#include "engine/checkpoint/agreement.h"

#include <string>
#include <vector>

namespace zs {

Status Agree(Communicator& comm, const Status& mine) {
  std::vector<double> failed(comm.size());
  failed[comm.rank()] = mine.ok() ? 0 : 1;
  RETURN_IF_ERROR(comm.AllGather(std::span<double>(failed)).Wait());
  RETURN_IF_ERROR(mine);
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (failed[rank] != 0) {
      return AbortedError("rank " + std::to_string(rank) +
                          " failed; see its output");
    }
  }
  return OkStatus();
}

}  // namespace zs
