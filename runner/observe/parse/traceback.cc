#include "runner/observe/parse/traceback.h"

#include <iterator>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "runner/observe/text/cursor.h"
#include "runner/observe/text/prefix.h"

namespace zs {
namespace {

constexpr size_t kNone = std::string_view::npos;

// "train.py:12" from '  File "/w/train.py", line 12, in <module>'.
std::string Frame(std::string_view text) {
  Cursor cursor(text);
  int number = 0;
  if (!cursor.TakeThrough("File \"")) {
    return {};
  }
  std::string_view path = cursor.Until("\"");
  path = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  if (!cursor.TakeThrough(" line ") || !cursor.TakeNumber(number)) {
    return {};
  }
  return std::string(path) + ":" + std::to_string(number);
}

// The dotted name of an exception at the start of TEXT: "torch.X.YError".
std::string_view ExceptionName(std::string_view text) {
  size_t end = 0;
  while (end < text.size() &&
         (IsDigit(text[end]) || text[end] == '.' || text[end] == '_' ||
          (text[end] >= 'a' && text[end] <= 'z') ||
          (text[end] >= 'A' && text[end] <= 'Z'))) {
    ++end;
  }
  const bool ended = end == text.size() || text[end] == ':';
  return ended ? text.substr(0, end) : std::string_view();
}

bool LooksLikeException(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  return !last.empty() && last[0] >= 'A' && last[0] <= 'Z';
}

}  // namespace

void TracebackReader::Open(const LogLine& line) {
  const size_t at = line.text.find("Traceback");
  const std::string key(line.text.substr(0, at));
  if (open_.size() >= kMaxOpen && open_.find(key) == open_.end()) {
    return;
  }
  const Prefix prefix = ParsePrefix(line.text);
  open_[key] = Trace{line.number, 0, prefix.rank, {}};
}

void TracebackReader::TakeLine(const LogLine& line, ObservationSink& sink) {
  for (auto it = open_.begin(); it != open_.end();) {
    it = ++it->second.lines > kMaxLines ? open_.erase(it) : std::next(it);
  }
  for (auto it = open_.begin(); it != open_.end(); ++it) {
    const std::string& key = it->first;
    Trace& trace = it->second;
    if (line.text.substr(0, key.size()) != key) {
      continue;
    }
    const std::string_view text = line.text.substr(key.size());
    if (!text.empty() && text[0] != ' ' && text[0] != '\t') {
      const std::string_view name = ExceptionName(text);
      if (!LooksLikeException(name)) {
        continue;  // another process wrote between the lines
      }
      PythonError error;
      error.type = name;
      error.message = text.size() > name.size()
                          ? Trimmed(text.substr(name.size() + 1))
                          : std::string_view();
      error.frame = trace.frame;
      error.rank = trace.rank;
      error.first_line = trace.first_line;
      const Trace closed = std::move(trace);
      error.frame = closed.frame;
      open_.erase(it);
      sink.Take(line, error);
      return;
    }
    if (text.find("File \"") != kNone) {
      if (std::string frame = Frame(text); !frame.empty()) {
        trace.frame = std::move(frame);
      }
    }
  }
}

}  // namespace zs
