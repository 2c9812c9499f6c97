// Errors as values: Status says how a call ended, Result<T> also carries what
// it made. No function of ours throws.
#ifndef BASE_STATUS_H_
#define BASE_STATUS_H_

#include <cassert>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace zs {

// The canonical codes (names and meaning as in absl::StatusCode).
enum class StatusCode {
  kOk,
  kCancelled,           // stopped on request
  kUnknown,             // a cause that nobody could name
  kInvalidArgument,     // the request is wrong, whatever the state of things
  kDeadlineExceeded,    // a time limit passed
  kNotFound,            // a file, host or row is not there
  kAlreadyExists,       // something is in the way
  kPermissionDenied,    // not allowed
  kResourceExhausted,   // memory, disk, descriptors
  kFailedPrecondition,  // the state of things forbids it
  kAborted,             // a concurrent party ended it
  kOutOfRange,          // past the end
  kUnimplemented,       // this build or version cannot
  kInternal,            // an invariant of ours is broken
  kUnavailable,         // a peer or service does not answer now
  kDataLoss,            // bytes are damaged or missing
};

// The code as text, for example "NOT_FOUND".
std::string_view StatusCodeName(StatusCode code);

// The outcome of a call: OK, or a code and a message that says what, where and
// what to do next. A value type; OK costs no allocation.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // The same status with "CONTEXT: " before its message; OK stays OK.
  Status WithContext(std::string_view context) const;

  // "OK" or "CODE: message".
  std::string ToString() const;

  friend bool operator==(const Status& a, const Status& b) = default;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

std::ostream& operator<<(std::ostream& out, const Status& status);

inline Status OkStatus() {
  return {};
}
inline Status InvalidArgumentError(std::string message) {
  return {StatusCode::kInvalidArgument, std::move(message)};
}
inline Status NotFoundError(std::string message) {
  return {StatusCode::kNotFound, std::move(message)};
}
inline Status AlreadyExistsError(std::string message) {
  return {StatusCode::kAlreadyExists, std::move(message)};
}
inline Status FailedPreconditionError(std::string message) {
  return {StatusCode::kFailedPrecondition, std::move(message)};
}
inline Status ResourceExhaustedError(std::string message) {
  return {StatusCode::kResourceExhausted, std::move(message)};
}
inline Status DeadlineExceededError(std::string message) {
  return {StatusCode::kDeadlineExceeded, std::move(message)};
}
inline Status UnavailableError(std::string message) {
  return {StatusCode::kUnavailable, std::move(message)};
}
inline Status UnimplementedError(std::string message) {
  return {StatusCode::kUnimplemented, std::move(message)};
}
inline Status AbortedError(std::string message) {
  return {StatusCode::kAborted, std::move(message)};
}
inline Status CancelledError(std::string message) {
  return {StatusCode::kCancelled, std::move(message)};
}
inline Status DataLossError(std::string message) {
  return {StatusCode::kDataLoss, std::move(message)};
}
inline Status InternalError(std::string message) {
  return {StatusCode::kInternal, std::move(message)};
}

// The status of a failed system call: "WHAT: strerror(error)", its code chosen
// from the errno value (ENOENT kNotFound, ENOSPC kResourceExhausted, ...).
Status ErrnoError(int error, std::string_view what);

// A T, or the Status that says why there is none. Never holds an OK status
// without a value.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // Implicit, so that `return value;` and `return error;` read well.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(T value) : value_(std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {
    if (status_.ok()) {
      status_ = InternalError("Result made from an OK status");
    }
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  // The value; only where ok().
  const T& value() const& {
    assert(ok());
    return *value_;
  }
  T& value() & {
    assert(ok());
    return *value_;
  }
  T&& value() && {
    assert(ok());
    return *std::move(value_);
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

 private:
  Status status_;
  std::optional<T> value_;
};

namespace internal {
inline const Status& ToStatus(const Status& status) {
  return status;
}
template <typename T>
const Status& ToStatus(const Result<T>& result) {
  return result.status();
}
}  // namespace internal

}  // namespace zs

#define ZS_CONCAT_INNER(a, b) a##b
#define ZS_CONCAT(a, b) ZS_CONCAT_INNER(a, b)

// Returns from the enclosing function with the status of EXPRESSION unless OK.
#define RETURN_IF_ERROR(expression)                         \
  do {                                                      \
    if (auto&& zs_status = (expression); !zs_status.ok()) { \
      return ::zs::internal::ToStatus(zs_status);           \
    }                                                       \
  } while (false)

// ASSIGN_OR_RETURN(auto x, MakeX()): x gets the value, or the enclosing
// function returns the status.
#define ASSIGN_OR_RETURN(target, expression) \
  ZS_ASSIGN_OR_RETURN(ZS_CONCAT(zs_result_, __COUNTER__), target, expression)
// target may declare a variable, so it cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define ZS_ASSIGN_OR_RETURN(result, target, expression) \
  auto result = (expression);                           \
  if (!result.ok()) {                                   \
    return result.status();                             \
  }                                                     \
  target = std::move(result).value()
// NOLINTEND(bugprone-macro-parentheses)

#endif  // BASE_STATUS_H_
