#include "runner/observe/text/prefix.h"

#include <charconv>

#include "runner/observe/text/cursor.h"

namespace zs {
namespace {

bool IsHostCharacter(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         c == '.' || c == '-' || c == '_';
}

// "[rank3]:", "[default3]:", "[3] ", "[1,3]<stdout>:", "[pod/NAME/...] ".
bool TakeBracket(Cursor& cursor, Prefix& prefix) {
  Cursor at = cursor;
  if (!at.Take("[")) {
    return false;
  }
  const std::string_view word = at.Until("]");
  if (word.empty() || word.size() > 120 || !at.Take("]")) {
    return false;
  }
  Cursor inside(word);
  int number = -1;
  if (inside.Take("pod/")) {
    prefix.host = inside.Until("/");
  } else if (inside.TakeInt(number) && inside.empty()) {
    if (!at.Take(" ")) {
      return false;
    }
    prefix.rank = prefix.rank < 0 ? number : prefix.rank;
  } else if (inside.Take(",") && inside.TakeInt(number) && at.Take("<std")) {
    prefix.rank = number;
    at.Until(":");
    at.Take(":");
  } else if (!at.Take(":")) {
    return false;
  } else {
    const size_t digits = word.find_first_of("0123456789");
    Cursor count(digits == std::string_view::npos ? "" : word.substr(digits));
    if (digits == 0 || !count.TakeInt(number) || !count.empty()) {
      return false;
    }
    (word.substr(0, digits) == "rank" ? prefix.rank : prefix.local_rank) =
        number;
  }
  at.SkipBlanks();
  cursor = at;
  return true;
}

// "3: " of srun -l, "node1: " of pdsh.
bool TakeWord(Cursor& cursor, Prefix& prefix) {
  const std::string_view rest = cursor.rest();
  size_t end = 0;
  bool digit = false;
  bool letter = false;
  while (end < rest.size() && end < 64 && IsHostCharacter(rest[end])) {
    digit = digit || IsDigit(rest[end]) || rest[end] == '.';
    letter = letter || !IsDigit(rest[end]);
    ++end;
  }
  if (end == 0 || !digit || rest.substr(end, 2) != ": ") {
    return false;
  }
  const std::string_view word = rest.substr(0, end);
  if (!letter) {
    Cursor number(word);
    if (end > 6 || !number.TakeInt(prefix.rank)) {
      return false;
    }
  } else if (!prefix.host.empty() || word.find("rror") != word.npos ||
             word.find(".py") != word.npos ||
             word.find("Exception") != word.npos) {
    return false;
  } else {
    prefix.host = word;
  }
  cursor.Skip(end + 1);
  cursor.SkipBlanksButOne();
  return true;
}

// "(RayWorker pid=5280, ip=10.0.0.1) ".
bool TakeRay(Cursor& cursor, Prefix& prefix) {
  Cursor at = cursor;
  if (!at.Take("(")) {
    return false;
  }
  const std::string_view inside = at.Until(")");
  if (inside.find(" pid=") == std::string_view::npos || !at.Take(") ")) {
    return false;
  }
  if (const size_t ip = inside.find("ip="); ip != std::string_view::npos) {
    prefix.host = inside.substr(ip + 3);
  }
  cursor = at;
  return true;
}

// "2026-11-30T05:40:26.123456789Z " of kubectl logs --timestamps.
bool TakeTimestamp(Cursor& cursor) {
  const std::string_view rest = cursor.rest();
  if (rest.size() < 21 || rest[4] != '-' || rest[10] != 'T' ||
      rest[13] != ':') {
    return false;
  }
  const size_t end = rest.find(' ');
  if (end == std::string_view::npos || end > 40) {
    return false;
  }
  cursor.Skip(end + 1);
  return true;
}

int IntAfter(std::string_view line, std::string_view word) {
  for (size_t at = line.find(word); at != std::string_view::npos;
       at = line.find(word, at + 1)) {
    Cursor cursor(line.substr(at + word.size()));
    int rank = -1;
    if (cursor.TakeInt(rank) && rank >= 0 && cursor.Take("]")) {
      return rank;
    }
  }
  return -1;
}

// HH:MM:SS[.fraction] at AT.
std::optional<double> ClockAt(std::string_view line, size_t at) {
  int parts[3] = {0, 0, 0};
  Cursor cursor(line.substr(at));
  for (int i = 0; i < 3; ++i) {
    if ((i > 0 && !cursor.Take(":")) || !cursor.TakeInt(parts[i]) ||
        parts[i] < 0) {
      return std::nullopt;
    }
  }
  double fraction = 0;
  if (cursor.Take(".") || cursor.Take(",")) {
    double scale = 0.1;
    for (const char c : cursor.rest()) {
      if (!IsDigit(c)) {
        break;
      }
      fraction += (c - '0') * scale;
      scale /= 10;
    }
  }
  return parts[0] * 3600.0 + parts[1] * 60.0 + parts[2] + fraction;
}

bool AllDigits(std::string_view text) {
  for (const char c : text) {
    if (!IsDigit(c)) {
      return false;
    }
  }
  return !text.empty();
}

std::optional<double> Moment(std::string_view month, std::string_view day,
                             std::string_view line, size_t clock_at) {
  if (!AllDigits(month) || !AllDigits(day) || clock_at >= line.size()) {
    return std::nullopt;
  }
  const std::optional<double> clock = ClockAt(line, clock_at);
  if (!clock.has_value()) {
    return std::nullopt;
  }
  int m = 0;
  int d = 0;
  Cursor(month).TakeInt(m);
  Cursor(day).TakeInt(d);
  return (m * 31.0 + d) * 86400.0 + *clock;
}

}  // namespace

Prefix ParsePrefix(std::string_view line) {
  Prefix prefix;
  Cursor cursor(line);
  for (int i = 0; i < 6; ++i) {
    if (!TakeBracket(cursor, prefix) && !TakeRay(cursor, prefix) &&
        !TakeTimestamp(cursor) && !TakeWord(cursor, prefix)) {
      break;
    }
  }
  prefix.length = line.size() - cursor.rest().size();
  return prefix;
}

int RankIn(std::string_view line) {
  int rank = IntAfter(line, "[rank");
  rank = rank >= 0 ? rank : IntAfter(line, "Rank ");
  return rank;
}

std::optional<double> TimeIn(std::string_view line) {
  line = line.substr(0, 400);
  for (size_t colon = line.find(':'); colon != std::string_view::npos;
       colon = line.find(':', colon + 1)) {
    if (colon < 8 || colon + 6 > line.size() || line[colon + 3] != ':') {
      continue;
    }
    const size_t clock = colon - 2;
    if (clock >= 11 && line[clock - 4] == '-' && line[clock - 7] == '-') {
      if (auto moment = Moment(line.substr(clock - 6, 2),
                               line.substr(clock - 3, 2), line, clock)) {
        return moment;
      }
    }
    // glog: level letter, month without leading zero in old versions, day.
    for (const size_t digits : {size_t{4}, size_t{3}}) {
      if (clock < digits + 2) {
        continue;
      }
      const std::string_view date = line.substr(clock - 1 - digits, digits);
      const char level = line[clock - 2 - digits];
      if (level != 'E' && level != 'W' && level != 'I' && level != 'F') {
        continue;
      }
      if (auto moment = Moment(date.substr(0, digits - 2),
                               date.substr(digits - 2), line, clock)) {
        return moment;
      }
    }
  }
  return std::nullopt;
}

}  // namespace zs
