#include "runner/observe/text/literals.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace zs {
namespace {

constexpr size_t kBlock = 3;  // bytes that choose the slot

}  // namespace

LiteralMatcher::LiteralMatcher(std::vector<std::string> literals)
    : literals_(std::move(literals)),
      shift_(size_t{1} << kBits, kMinLength - kBlock + 1),
      bucket_((size_t{1} << kHeadBits) + 1, 0) {
  std::vector<std::pair<uint32_t, Entry>> all;
  for (size_t i = 0; i < literals_.size(); ++i) {
    const std::string& literal = literals_[i];
    assert(literal.size() >= kMinLength);
    const std::string padded = '\0' + literal;  // Slot() looks one byte back
    for (size_t end = kBlock; end <= kMinLength; ++end) {
      uint8_t& shift = shift_[Slot(padded.data() + 1 + end)];
      shift = std::min<uint8_t>(shift, kMinLength - end);
    }
    all.push_back({HeadSlot(Head(literal.data())),
                   {Head(literal.data()), literal.data() + kMinLength,
                    static_cast<uint32_t>(literal.size() - kMinLength),
                    static_cast<int>(i)}});
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.first < b.first;
  });
  for (const auto& [slot, entry] : all) {
    entries_.push_back(entry);
    ++bucket_[slot + 1];
  }
  for (const std::string& literal : literals_) {
    const auto same = [&literal](const Entry& entry) {
      return entry.head == Head(literal.data());
    };
    alone_.push_back(std::count_if(entries_.begin(), entries_.end(), same) ==
                     1);
  }
  for (size_t slot = 1; slot < bucket_.size(); ++slot) {
    bucket_[slot] = static_cast<uint16_t>(bucket_[slot] + bucket_[slot - 1]);
  }
}

int LiteralMatcher::FirstIn(std::string_view text, size_t position,
                            int after) const {
  const char* window = text.data() + position;
  const uint64_t head = Head(window);
  const uint32_t slot = HeadSlot(head);
  for (size_t i = bucket_[slot]; i < bucket_[slot + 1]; ++i) {
    const Entry& entry = entries_[i];
    if (entry.head != head || entry.literal <= after) {
      continue;
    }
    const size_t left = text.size() - position - kMinLength;
    if (left >= entry.tail_size &&
        std::memcmp(window + kMinLength, entry.tail, entry.tail_size) == 0) {
      return entry.literal;
    }
  }
  return -1;
}

LiteralMatcher::Hit LiteralMatcher::Next(std::string_view text,
                                         size_t from) const {
  if (text.size() < kMinLength) {
    return {};
  }
  const size_t last = text.size() - kMinLength;
  for (size_t at = from; at <= last;) {
    const uint8_t shift = shift_[Slot(text.data() + at + kMinLength)];
    if (shift != 0) {
      at += shift;
      continue;
    }
    if (const int index = FirstIn(text, at, -1); index >= 0) {
      return {at, index};
    }
    ++at;
  }
  return {};
}

}  // namespace zs
