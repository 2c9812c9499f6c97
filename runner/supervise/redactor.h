// Values that are secrets, taken out of what processes print before it is kept.
#ifndef RUNNER_SUPERVISE_REDACTOR_H_
#define RUNNER_SUPERVISE_REDACTOR_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace zs {

// The values that are looked for; of those that are too short to be told from
// ordinary text none.
class SecretValues {
 public:
  explicit SecretValues(const std::vector<std::string>& values);

  const std::vector<std::string>& values() const { return values_; }
  // Whether a value begins with C.
  bool MayBegin(char c) const { return first_[static_cast<unsigned char>(c)]; }

 private:
  std::vector<std::string> values_;
  std::vector<bool> first_ = std::vector<bool>(256);
};

// One stream of bytes, cut anywhere: each secret value becomes "***". Bytes
// that may be the beginning of a value wait for what follows.
class Redactor {
 public:
  // SECRETS outlives it.
  explicit Redactor(const SecretValues& secrets) : secrets_(&secrets) {}

  // BYTES, and what waited, without secrets. Valid until the next call.
  std::string_view Feed(std::string_view bytes);

  // What waits: nothing follows.
  std::string Take();

 private:
  const SecretValues* secrets_;
  std::string waiting_;
  std::string text_;
};

}  // namespace zs

#endif  // RUNNER_SUPERVISE_REDACTOR_H_
