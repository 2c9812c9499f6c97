// What is wrong in a document, each fault with its place. All faults of a
// document are collected and shown at once.
#ifndef RUNNER_PLAN_SPEC_FAULT_H_
#define RUNNER_PLAN_SPEC_FAULT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace zs {

// A place in a document as a chain of stack frames; its text is made only
// when a fault is found there. Refers to its parent and its key.
class Place {
 public:
  Place() = default;
  Place(const Place& parent, std::string_view key)
      : parent_(&parent), key_(key) {}
  // Element INDEX of the array KEY; LABEL is the element's own name or empty.
  Place(const Place& parent, std::string_view key, size_t index,
        std::string_view label)
      : parent_(&parent), key_(key), label_(label), index_(index) {}

  // "experiments[3] 'z1'.train.micro_batch".
  std::string ToString() const;

 private:
  static constexpr size_t kNoIndex = static_cast<size_t>(-1);

  const Place* parent_ = nullptr;
  std::string_view key_;
  std::string_view label_;
  size_t index_ = kNoIndex;
};

struct Fault {
  std::string path;     // Place::ToString
  std::string message;  // what was found and what is allowed
};

// "path: message".
std::string ToString(const Fault& fault);

// One line for each fault, at most MAX_LINES of them and then their number;
// the message of the status that refuses the document.
std::string ToString(const std::vector<Fault>& faults, size_t max_lines = 100);

// VALUE for a message: JSON, at most 60 bytes, control characters escaped.
std::string Shown(const Json& value);
std::string Shown(std::string_view text);

// The one of NAMES that TEXT most likely meant (Damerau-Levenshtein distance
// of at most a third of its length); empty where none is near.
std::string_view Nearest(std::string_view text,
                         const std::vector<std::string_view>& names);

// " (did you mean X?)" or nothing.
std::string DidYouMean(std::string_view text,
                       const std::vector<std::string_view>& names);

}  // namespace zs

#endif  // RUNNER_PLAN_SPEC_FAULT_H_
