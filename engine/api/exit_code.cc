#include "engine/api/exit_code.h"

#include <array>

namespace zs {
namespace {

struct Name {
  EngineExit status;
  std::string_view name;
};

constexpr std::array<Name, 11> kNames = {{
    {EngineExit::kOk, "ok"},
    {EngineExit::kInternal, "internal"},
    {EngineExit::kBadConfig, "bad_config"},
    {EngineExit::kData, "data"},
    {EngineExit::kRendezvous, "rendezvous"},
    {EngineExit::kPeerLost, "peer_lost"},
    {EngineExit::kOutOfMemory, "out_of_memory"},
    {EngineExit::kInvalidLoss, "invalid_loss"},
    {EngineExit::kCheckpoint, "checkpoint"},
    {EngineExit::kUnavailable, "unavailable"},
    {EngineExit::kCancelled, "cancelled"},
}};

}  // namespace

std::string_view EngineExitName(int status) {
  for (const Name& entry : kNames) {
    if (static_cast<int>(entry.status) == status) {
      return entry.name;
    }
  }
  return {};
}

}  // namespace zs
