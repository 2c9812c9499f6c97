// One decision of all ranks.
#ifndef ENGINE_CHECKPOINT_AGREEMENT_H_
#define ENGINE_CHECKPOINT_AGREEMENT_H_

#include "base/status.h"
#include "engine/comm/communicator.h"

namespace zs {

// OK where MINE is OK on every rank; else MINE, or kAborted that names a rank
// where it is not. An error of the communication itself is returned as it is.
// Every rank calls it.
Status Agree(Communicator& comm, const Status& mine);

}  // namespace zs

#endif  // ENGINE_CHECKPOINT_AGREEMENT_H_
