#include "runner/backend/line_splitter.h"

#include <algorithm>

namespace zs {

void LineSplitter::Keep(std::string_view part) {
  line_.append(part.substr(0, max_bytes_ - std::min(max_bytes_, line_.size())));
}

void LineSplitter::Add(std::string_view bytes, const Callback& on_line) {
  while (true) {
    const size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      Keep(bytes);
      return;
    }
    if (!skip_ && line_.empty() && end <= max_bytes_) {
      on_line(bytes.substr(0, end));  // the common case copies nothing
    } else {
      Keep(bytes.substr(0, end));
      if (!skip_) {
        on_line(line_);
      }
    }
    line_.clear();
    skip_ = false;
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::Break() {
  line_.clear();
  skip_ = true;
}

void LineSplitter::Finish(const Callback& on_line) {
  if (!skip_ && !line_.empty()) {
    on_line(line_);
  }
  line_.clear();
  skip_ = false;
}

}  // namespace zs
