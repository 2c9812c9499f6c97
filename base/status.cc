#include "base/status.h"

#include <array>
#include <cerrno>
#include <cstring>

namespace zs {
namespace {

constexpr std::array<std::string_view, 16> kNames = {
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
};

StatusCode CodeOfErrno(int error) {
  switch (error) {
    case ENOENT:
    case ESRCH:
      return StatusCode::kNotFound;
    case EEXIST:
    case EADDRINUSE:
      return StatusCode::kAlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
      return StatusCode::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return StatusCode::kResourceExhausted;
    case EINVAL:
    case ENAMETOOLONG:
      return StatusCode::kInvalidArgument;
    case ENOTDIR:
    case EISDIR:
    case ENOTEMPTY:
    case EBUSY:
      return StatusCode::kFailedPrecondition;
    case ETIMEDOUT:
      return StatusCode::kDeadlineExceeded;
    case ECONNREFUSED:
    case ECONNRESET:
    case EPIPE:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case EAGAIN:
      return StatusCode::kUnavailable;
    case EIO:
      return StatusCode::kDataLoss;
    default:
      return StatusCode::kUnknown;
  }
}

}  // namespace

std::string_view StatusCodeName(StatusCode code) {
  return kNames[static_cast<size_t>(code)];
}

Status Status::WithContext(std::string_view context) const {
  if (ok()) {
    return *this;
  }
  return {code_, std::string(context) + ": " + message_};
}

std::string Status::ToString() const {
  if (ok()) {
    return "OK";
  }
  return std::string(StatusCodeName(code_)) + ": " + message_;
}

std::ostream& operator<<(std::ostream& out, const Status& status) {
  return out << status.ToString();
}

Status ErrnoError(int error, std::string_view what) {
  return {CodeOfErrno(error), std::string(what) + ": " + std::strerror(error)};
}

}  // namespace zs
