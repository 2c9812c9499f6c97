#include "engine/train/failure.h"

#include <utility>

namespace zs {

Failure FailureOf(Status status, EngineExit otherwise) {
  EngineExit exit = otherwise;
  switch (status.code()) {
    case StatusCode::kOk:
      exit = EngineExit::kOk;
      break;
    case StatusCode::kUnavailable:
    case StatusCode::kDeadlineExceeded:
      exit = EngineExit::kPeerLost;
      break;
    case StatusCode::kResourceExhausted:
      exit = EngineExit::kOutOfMemory;
      break;
    case StatusCode::kCancelled:
      exit = EngineExit::kCancelled;
      break;
    default:
      break;
  }
  return {exit, std::move(status)};
}

}  // namespace zs
