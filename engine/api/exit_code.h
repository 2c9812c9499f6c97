// Exit statuses of the engine, one for each cause.
#ifndef ENGINE_API_EXIT_CODE_H_
#define ENGINE_API_EXIT_CODE_H_

#include <string_view>

namespace zs {

enum class EngineExit : int {
  kOk = 0,
  kInternal = 70,     // an invariant is broken (sysexits EX_SOFTWARE)
  kBadConfig = 64,    // configuration or environment (EX_USAGE)
  kData = 65,         // training data missing or damaged (EX_DATAERR)
  kRendezvous = 66,   // the ranks did not find each other in time
  kPeerLost = 67,     // another rank is gone or silent
  kOutOfMemory = 68,  // host or device memory
  kInvalidLoss = 69,  // NaN or infinite loss or gradient
  kCheckpoint = 71,   // saving or loading failed
  kUnavailable = 72,  // device or library missing or too old
  kCancelled = 75,    // ended by SIGTERM or SIGINT
};

// "ok", "bad_config", "data", "rendezvous", "peer_lost", "out_of_memory",
// "invalid_loss", "checkpoint", "unavailable", "cancelled", "internal"; empty
// for a number that is none of them.
std::string_view EngineExitName(int status);

}  // namespace zs

#endif  // ENGINE_API_EXIT_CODE_H_
