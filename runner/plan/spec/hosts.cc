#include "runner/plan/spec/hosts.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "runner/plan/spec/fault.h"

namespace zs {
namespace {

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsNameCharacter(char c) {
  return IsLetter(c) || IsDigit(c) || c == '.' || c == '_' || c == '-';
}

Status Bad(std::string_view pattern, std::string_view why) {
  return InvalidArgumentError(
      Shown(pattern) + " is no host name or pattern: " + std::string(why));
}

// The parts of TEXT between SEPARATORs that stand outside brackets.
std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  size_t start = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    if (text[i] == separator && depth == 0) {
      parts.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  parts.push_back(text.substr(start));
  return parts;
}

bool ParseNumber(std::string_view text, int64_t* number) {
  const char* end = text.data() + text.size();
  return !text.empty() && text.size() <= 12 &&
         std::all_of(text.begin(), text.end(), IsDigit) &&
         std::from_chars(text.data(), end, *number).ptr == end;
}

// Appends the numbers of "0033-0036" or "7" to NUMBERS, as wide as the first.
Status AddRange(std::string_view range, std::vector<std::string>* numbers) {
  const size_t dash = range.find('-');
  const std::string_view first = range.substr(0, dash);
  const std::string_view last =
      dash == std::string_view::npos ? first : range.substr(dash + 1);
  int64_t from = 0;
  int64_t to = 0;
  if (!ParseNumber(first, &from) || !ParseNumber(last, &to)) {
    return Bad(range, "a range is FIRST-LAST in decimal digits");
  }
  if (to < from) {
    return Bad(range, "the range goes down");
  }
  if (static_cast<size_t>(to - from) >= kMaxHosts) {
    return Bad(range, "more than 4096 hosts");
  }
  for (int64_t number = from; number <= to; ++number) {
    std::string digits = std::to_string(number);
    if (digits.size() < first.size()) {
      digits.insert(0, first.size() - digits.size(), '0');
    }
    numbers->push_back(std::move(digits));
  }
  return OkStatus();
}

// HOSTS with each of NUMBERS appended to each.
Status Multiply(const std::vector<std::string>& numbers,
                std::vector<std::string>* hosts) {
  if (hosts->size() * numbers.size() > kMaxHosts) {
    return InvalidArgumentError("more than 4096 hosts");
  }
  std::vector<std::string> product;
  for (const std::string& host : *hosts) {
    for (const std::string& number : numbers) {
      product.push_back(host + number);
    }
  }
  *hosts = std::move(product);
  return OkStatus();
}

// One name with its ranges, without commas outside brackets.
Result<std::vector<std::string>> ExpandOne(std::string_view pattern) {
  std::vector<std::string> hosts = {""};
  std::string_view rest = pattern;
  while (!rest.empty()) {
    const size_t open = rest.find('[');
    for (std::string& host : hosts) {
      host += rest.substr(0, open);
    }
    if (open == std::string_view::npos) {
      break;
    }
    const size_t close = rest.find(']', open);
    if (close == std::string_view::npos) {
      return Bad(pattern, "a bracket is not closed");
    }
    std::vector<std::string> numbers;
    for (const auto range :
         Split(rest.substr(open + 1, close - open - 1), ',')) {
      RETURN_IF_ERROR(AddRange(range, &numbers));
    }
    RETURN_IF_ERROR(Multiply(numbers, &hosts));
    rest.remove_prefix(close + 1);
  }
  return hosts;
}

}  // namespace

bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= 100 && text[0] != '.' &&
         text[0] != '-' &&
         std::all_of(text.begin(), text.end(), IsNameCharacter);
}

bool IsHost(std::string_view text) {
  return !text.empty() && text.size() <= 253 &&
         (IsLetter(text[0]) || IsDigit(text[0])) &&
         std::all_of(text.begin(), text.end(), IsNameCharacter);
}

bool IsVariableName(std::string_view text) {
  return !text.empty() && !IsDigit(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return IsLetter(c) || IsDigit(c) || c == '_';
         });
}

Result<std::vector<std::string>> ExpandHosts(std::string_view pattern) {
  std::vector<std::string> hosts;
  for (const auto part : Split(pattern, ',')) {
    ASSIGN_OR_RETURN(auto expanded, ExpandOne(part));
    for (std::string& host : expanded) {
      if (!IsHost(host)) {
        return Bad(host,
                   "allowed are letters, digits, '.', '_' and '-', a letter or "
                   "digit first");
      }
      hosts.push_back(std::move(host));
    }
    if (hosts.size() > kMaxHosts) {
      return Bad(pattern, "more than 4096 hosts");
    }
  }
  return hosts;
}

}  // namespace zs
