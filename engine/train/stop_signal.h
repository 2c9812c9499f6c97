// SIGTERM and SIGINT, which end a rank with an exit status of their own.
#ifndef ENGINE_TRAIN_STOP_SIGNAL_H_
#define ENGINE_TRAIN_STOP_SIGNAL_H_

#include "base/status.h"

namespace zs {

// From now on SIGPIPE is ignored, and SIGTERM and SIGINT set a flag. Who does
// not look at the flag within a few seconds (a rank that waits for a peer) is
// ended all the same, with the exit status kCancelled and an "error" event of
// RANK on stdout. A second signal ends the process as if it had no handler.
void CatchStopSignals(int rank);

// kCancelled, naming the signal, once one has come.
Status StopRequested();

}  // namespace zs

#endif  // ENGINE_TRAIN_STOP_SIGNAL_H_
