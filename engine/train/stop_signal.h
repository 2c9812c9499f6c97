// SIGTERM and SIGINT as a flag.
#ifndef ENGINE_TRAIN_STOP_SIGNAL_H_
#define ENGINE_TRAIN_STOP_SIGNAL_H_

#include "base/status.h"

namespace zs {

// From now on SIGTERM and SIGINT only set the flag, and SIGPIPE is ignored. A
// second of these signals ends the process as if it had no handler.
void CatchStopSignals();

// kCancelled, naming the signal, once one has come.
Status StopRequested();

}  // namespace zs

#endif  // ENGINE_TRAIN_STOP_SIGNAL_H_
