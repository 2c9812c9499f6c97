#include "runner/plan/spec/fault.h"

#include <algorithm>

namespace zs {
namespace {

// TEXT cut to LIMIT bytes, never within a UTF-8 sequence.
std::string Cut(std::string text, size_t limit) {
  if (text.size() <= limit) {
    return text;
  }
  while (limit > 0 &&
         (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) {
    --limit;
  }
  text.resize(limit);
  return text + "...";
}

// Optimal string alignment distance (Damerau-Levenshtein without repeated
// edits of one place).
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) {
    last[j] = j;
  }
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string Place::ToString() const {
  std::string text = parent_ == nullptr ? "" : parent_->ToString();
  if (!text.empty() && !key_.empty()) {
    text += '.';
  }
  text += Cut(std::string(key_), 60);
  if (index_ != kNoIndex) {
    text += '[' + std::to_string(index_) + ']';
  }
  if (!label_.empty()) {
    text += " '" + Cut(std::string(label_), 60) + "'";
  }
  return text;
}

std::string ToString(const Fault& fault) {
  return fault.path.empty() ? fault.message : fault.path + ": " + fault.message;
}

std::string ToString(const std::vector<Fault>& faults, size_t max_lines) {
  std::string text;
  for (size_t i = 0; i < faults.size() && i < max_lines; ++i) {
    text += (i == 0 ? "" : "\n") + ToString(faults[i]);
  }
  if (faults.size() > max_lines) {
    text += "\n(" + std::to_string(faults.size() - max_lines) + " more)";
  }
  return text;
}

std::string Shown(const Json& value) {
  if (value.is_object()) {
    return "an object";
  }
  if (value.is_array()) {
    return "a list of " + std::to_string(value.size());
  }
  return value.is_string()
             ? Shown(std::string_view(value.get_ref<const std::string&>()))
             : DumpJson(value);
}

std::string Shown(std::string_view text) {
  // JSON escapes control characters; DEL and the C1 set (U+0080..U+009F),
  // which move some terminals too, are replaced.
  std::string shown = DumpJson(Json(std::string(text.substr(0, 200))));
  for (size_t i = 0; i < shown.size(); ++i) {
    const auto byte = static_cast<unsigned char>(shown[i]);
    if (byte == 0x7F) {
      shown[i] = '?';
    } else if (byte == 0xC2 && i + 1 < shown.size() &&
               static_cast<unsigned char>(shown[i + 1]) < 0xA0) {
      shown.replace(i, 2, "?");
    }
  }
  return Cut(shown, 60);
}

std::string_view Nearest(std::string_view text,
                         const std::vector<std::string_view>& names) {
  std::string_view nearest;
  size_t least = std::max<size_t>(1, std::min<size_t>(text.size(), 60) / 3) + 1;
  if (text.size() > 60) {
    return nearest;
  }
  for (const std::string_view name : names) {
    const size_t longer = std::max(name.size(), text.size());
    if (longer - std::min(name.size(), text.size()) >= least) {
      continue;
    }
    const size_t distance = Distance(text, name);
    if (distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

std::string DidYouMean(std::string_view text,
                       const std::vector<std::string_view>& names) {
  const std::string_view nearest = Nearest(text, names);
  return nearest.empty() ? "" : " (did you mean " + std::string(nearest) + "?)";
}

}  // namespace zs
