#include "runner/observe/parse/bandwidth.h"

#include <string_view>
#include <vector>

#include "base/strings.h"
#include "runner/observe/text/cursor.h"
#include "runner/observe/text/prefix.h"

namespace zs {
namespace {

constexpr size_t kNone = std::string_view::npos;

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  Cursor cursor(text);
  for (;;) {
    const std::string_view word = cursor.TakeWord();
    if (word.empty() || words.size() > 40) {
      return words;
    }
    words.push_back(word);
  }
}

template <typename T>
bool IsNumber(std::string_view word, T& value) {
  Cursor cursor(word);
  return cursor.TakeInt(value) && cursor.empty();
}

// "0" and "0e+00" are numbers; "N/A" means not checked.
int64_t WrongCount(std::string_view word) {
  double value = -1;
  return IsNumber(word, value) ? static_cast<int64_t>(value) : -1;
}

// The number behind the last KEY of TEXT (BEFORE) or the first one.
template <typename T>
void JsonNumber(std::string_view text, std::string_view key, bool last,
                T& target) {
  const size_t at = last ? text.rfind(key) : text.find(key);
  if (at != kNone) {
    Cursor(text.substr(at + key.size())).TakeNumber(target);
  }
}

std::string_view LastJsonText(std::string_view text, std::string_view key) {
  const size_t at = text.rfind(key);
  if (at == kNone) {
    return {};
  }
  Cursor cursor(text.substr(at + key.size()));
  cursor.SkipBlanks();
  return cursor.Take("\"") ? cursor.Until("\"") : std::string_view();
}

}  // namespace

size_t ParseBandwidthRow(const LogLine& line, size_t at,
                         ObservationSink& sink) {
  const std::string_view text = line.text.substr(ParsePrefix(line.text).length);
  const std::vector<std::string_view> words = Words(text);
  BandwidthRow row;
  int64_t count = 0;
  if (words.size() < 11 || !IsNumber(words[0], row.bytes) ||
      !IsNumber(words[1], count) || row.bytes < 0) {
    return at;
  }
  // size count type redop [root] time algbw busbw wrong time algbw busbw wrong
  double probe = 0;
  size_t next = IsNumber(words[3], probe) ? 3 : 4;
  int64_t root = 0;
  if (IsNumber(words[next], root) && words.size() >= next + 9) {
    ++next;
  }
  if (words.size() < next + 4 || !IsNumber(words[next], row.time_us) ||
      !IsNumber(words[next + 1], row.algbw_gb_s) ||
      !IsNumber(words[next + 2], row.busbw_gb_s)) {
    return at;
  }
  row.wrong = WrongCount(words[next + 3]);
  if (words.size() >= next + 7) {
    IsNumber(words[next + 6], row.in_place_busbw_gb_s);
  }
  sink.Take(line, row);
  return line.text.size();
}

size_t ParseTestsDevice(const LogLine& line, size_t at, ObservationSink& sink) {
  Cursor cursor(line.text.substr(at));
  NcclTestsDevice device;
  if (!cursor.TakeThrough("Rank") || !cursor.TakeNumber(device.rank) ||
      !cursor.TakeThrough("Pid") || !cursor.TakeThrough(" on ")) {
    return at;
  }
  device.host = cursor.TakeWord();
  if (!cursor.TakeThrough("] ")) {
    return at;
  }
  device.gpu = Trimmed(cursor.rest());
  sink.Take(line, device);
  return line.text.size();
}

size_t ParseTestsName(const LogLine& line, size_t at, ObservationSink& sink) {
  Cursor cursor(line.text.substr(at));
  const std::string_view name = cursor.Until("_perf");
  sink.Take(line, NcclTestsHeader{name});
  return at + name.size() + 5;
}

size_t ParseBandwidthSentence(const LogLine& line, size_t at,
                              ObservationSink& sink) {
  BandwidthRow row;
  Cursor cursor(line.text.substr(at));
  cursor.TakeThrough("busbw");
  if (!cursor.TakeNumber(row.busbw_gb_s)) {
    return at;
  }
  cursor.SkipBlanks();
  if (!cursor.Take("GB/s")) {
    return at;
  }
  const std::string_view before = line.text.substr(0, at);
  if (const size_t bytes = before.find(" bytes"); bytes != kNone) {
    const std::vector<std::string_view> words = Words(before.substr(0, bytes));
    if (words.size() >= 2 && IsNumber(words.back(), row.bytes)) {
      row.operation = words[words.size() - 2];
    }
  }
  sink.Take(line, row);
  return line.text.size() - cursor.rest().size();
}

size_t ParseBandwidthJson(const LogLine& line, size_t at,
                          ObservationSink& sink) {
  const size_t start = at > 400 ? at - 400 : 0;
  const std::string_view before = line.text.substr(start, at - start);
  std::string_view object = line.text.substr(at, 400);
  object = object.substr(0, object.find('}'));
  BandwidthRow row;
  JsonNumber(before, "\"size\":", true, row.bytes);
  JsonNumber(object, "\"time\":", false, row.time_us);
  JsonNumber(object, "\"alg_bw\":", false, row.algbw_gb_s);
  JsonNumber(object, "\"bus_bw\":", false, row.busbw_gb_s);
  JsonNumber(object, "\"nwrong\":", false, row.wrong);
  if (row.bytes < 0 || row.busbw_gb_s != row.busbw_gb_s) {
    return at;
  }
  sink.Take(line, row);
  return at + object.size();
}

size_t ParseDeviceJson(const LogLine& line, size_t at, ObservationSink& sink) {
  const size_t start = at > 400 ? at - 400 : 0;
  const std::string_view before = line.text.substr(start, at - start);
  NcclTestsDevice device;
  JsonNumber(before, "\"rank\":", true, device.rank);
  device.host = LastJsonText(before, "\"hostname\":");
  device.gpu = LastJsonText(line.text.substr(at, 200), "\"device_info\":");
  sink.Take(line, device);
  return at + 14;
}

}  // namespace zs
