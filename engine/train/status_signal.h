// SIGUSR1: this rank says where it is among the collective operations.
#ifndef ENGINE_TRAIN_STATUS_SIGNAL_H_
#define ENGINE_TRAIN_STATUS_SIGNAL_H_

#include <cstddef>

namespace zs {

// From now on SIGUSR1 makes this process print a "position" event of RANK
// (engine/api/event.h) on stdout, also while it waits for a peer.
void CatchStatusSignal(int rank);

// The line that would be printed now, with its line feed, in TEXT of SIZE
// bytes; its length, 0 where it does not fit. Async-signal-safe.
size_t WriteStatusLine(int rank, char* text, size_t size);

}  // namespace zs

#endif  // ENGINE_TRAIN_STATUS_SIGNAL_H_
