#include "results/store/mask.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

namespace zs::results {
namespace {

constexpr std::string_view kMasked = "***";

// A name is secret if one of its words stands here,
constexpr std::string_view kSecretWords[] = {
    "apikey",     "authorization", "cookie",   "credential", "credentials",
    "passphrase", "passwd",        "password", "pat",        "privatekey",
    "secret",     "secrets",       "token"};
// or two that follow each other,
constexpr std::pair<std::string_view, std::string_view> kSecretPairs[] = {
    {"access", "key"}, {"account", "key"},    {"api", "key"},
    {"auth", "key"},   {"encryption", "key"}, {"private", "key"},
    {"secret", "key"}, {"signing", "key"},    {"ssh", "key"}};
// or if the last of several is one of these (PWD alone is a folder).
constexpr std::string_view kSecretEndings[] = {"auth", "pass", "pwd"};
// Tokens of a vocabulary are none of it.
constexpr std::string_view kVocabulary[] = {"bos", "cls", "eos", "mask",
                                            "pad", "sep", "unk"};
// How well-known services begin their secrets; at least this long in all.
constexpr std::string_view kSecretPrefixes[] = {
    "AKIA", "ghp_", "github_pat_", "glpat-", "hf_", "nvapi-", "sk-", "xoxb-"};
constexpr size_t kMinSecretSize = 18;

template <typename Range>
bool Contains(const Range& range, std::string_view word) {
  return std::find(std::begin(range), std::end(range), word) != std::end(range);
}

bool IsUpper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
bool IsWordChar(char c) {
  return IsUpper(c) || IsLower(c) || (c >= '0' && c <= '9');
}
bool IsNameChar(char c) {
  return IsWordChar(c) || c == '_' || c == '-';
}

// "awsSecret_KEY" -> aws, secret, key.
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words(1);
  char previous = '_';
  for (const char c : name) {
    const bool starts = !IsWordChar(c) || (IsUpper(c) && IsLower(previous));
    if (starts && !words.back().empty()) {
      words.emplace_back();
    }
    if (IsWordChar(c)) {
      words.back() += IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    }
    previous = c;
  }
  if (words.back().empty()) {
    words.pop_back();
  }
  return words;
}

bool HasSecretWord(const std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    const bool vocabulary =
        words[i] == "token" && i > 0 && Contains(kVocabulary, words[i - 1]);
    if (Contains(kSecretWords, words[i]) && !vocabulary) {
      return true;
    }
    for (const auto& [first, second] : kSecretPairs) {
      if (i > 0 && words[i - 1] == first && words[i] == second) {
        return true;
      }
    }
  }
  return false;
}

bool IsSecretValue(std::string_view value) {
  if (value.size() < kMinSecretSize) {
    return false;
  }
  return std::any_of(
      std::begin(kSecretPrefixes), std::end(kSecretPrefixes),
      [&](std::string_view prefix) { return value.starts_with(prefix); });
}

// Where the value that begins at BEGIN ends: at the closing quote, or before
// white space or what separates values.
size_t ValueEnd(std::string_view text, size_t begin) {
  if (begin < text.size() && (text[begin] == '"' || text[begin] == '\'')) {
    const size_t quote = text.find(text[begin], begin + 1);
    return quote == std::string_view::npos ? text.size() : quote + 1;
  }
  const size_t end = text.find_first_of(" \t\r\n\"'&;,", begin);
  return end == std::string_view::npos ? text.size() : end;
}

// If the name that ends at END is followed by a value that must not be seen,
// the value's first and last+1 place.
struct Span {
  size_t begin = 0;
  size_t end = 0;
};

Span SecretAfterName(std::string_view text, std::string_view name, size_t end) {
  if (end < text.size() && (text[end] == '=' || text[end] == ':') &&
      IsSecretName(name)) {
    size_t begin = end + 1;
    while (text[end] == ':' && begin < text.size() && text[begin] == ' ') {
      ++begin;
    }
    if (text.substr(begin).starts_with("Bearer ")) {
      begin += 7;
    }
    return {begin, ValueEnd(text, begin)};
  }
  return {};
}

// The password of scheme://user:password@host where "://" stands at PLACE.
Span PasswordOfUrl(std::string_view text, size_t place) {
  const size_t begin = place + 3;
  const size_t end =
      std::min(text.find_first_of(" \t\r\n\"'/?#", begin), text.size());
  const std::string_view authority = text.substr(begin, end - begin);
  const size_t at = authority.rfind('@');
  const size_t colon = authority.find(':');
  if (at == std::string_view::npos || colon >= at) {
    return {};
  }
  return {begin + colon + 1, begin + at};
}

}  // namespace

bool IsSecretName(std::string_view name) {
  const std::vector<std::string> words = WordsOf(name);
  if (words.empty()) {
    return false;
  }
  if (HasSecretWord(words)) {
    return true;
  }
  // Variables such as OPENAI_KEY; "sort_key" is a field.
  const bool variable = std::none_of(name.begin(), name.end(), IsLower);
  return words.size() > 1 && (Contains(kSecretEndings, words.back()) ||
                              (variable && words.back() == "key"));
}

std::string MaskSecrets(std::string_view text) {
  std::string masked;
  size_t i = 0;
  while (i < text.size()) {
    Span secret;
    size_t next = i + 1;
    if (IsNameChar(text[i])) {
      next = i;
      while (next < text.size() && IsNameChar(text[next])) {
        ++next;
      }
      const std::string_view name = text.substr(i, next - i);
      secret = IsSecretValue(name) ? Span{i, next}
                                   : SecretAfterName(text, name, next);
    } else if (text.substr(i).starts_with("://")) {
      secret = PasswordOfUrl(text, i);
    }
    if (secret.end > secret.begin) {
      masked += text.substr(i, secret.begin - i);
      masked += kMasked;
      i = secret.end;
    } else {
      masked += text.substr(i, next - i);
      i = next;
    }
  }
  return masked;
}

std::vector<std::string> SecretArguments(const std::vector<std::string>& argv) {
  std::vector<std::string> values;
  for (size_t i = 0; i < argv.size(); ++i) {
    const std::string& word = argv[i];
    const size_t equals = word.find('=');
    if (!word.starts_with("-") || !IsSecretName(word.substr(0, equals))) {
      continue;
    }
    if (equals != std::string::npos) {
      values.push_back(word.substr(equals + 1));
    } else if (i + 1 < argv.size()) {
      values.push_back(argv[i + 1]);
    }
  }
  return values;
}

// NOLINTNEXTLINE(misc-no-recursion): ParseJson bounds the depth.
Json MaskDocument(const Json& document) {
  if (document.is_string()) {
    return MaskSecrets(document.get_ref<const std::string&>());
  }
  if (document.is_object()) {
    Json masked = Json::object();
    for (const auto& [name, value] : document.items()) {
      const bool secret =
          IsSecretName(name) && !value.is_null() && !value.is_boolean();
      masked[name] = secret ? Json(std::string(kMasked)) : MaskDocument(value);
    }
    return masked;
  }
  if (document.is_array()) {
    Json masked = Json::array();
    bool follows_flag = false;
    for (const Json& value : document) {
      masked.push_back(follows_flag && value.is_string()
                           ? Json(std::string(kMasked))
                           : MaskDocument(value));
      follows_flag = value.is_string() &&
                     value.get_ref<const std::string&>().starts_with("-") &&
                     IsSecretName(value.get_ref<const std::string&>());
    }
    return masked;
  }
  return document;
}

Result<std::string> MaskJson(std::string_view text, std::string_view what) {
  const Result<Json> document = ParseJson(text);
  if (!document.ok()) {
    return document.status().WithContext(what);
  }
  return DumpJson(MaskDocument(*document));
}

}  // namespace zs::results
