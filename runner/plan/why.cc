#include "runner/plan/why.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "base/files.h"
#include "base/json.h"
#include "base/strings.h"
#include "runner/plan/eval/evaluate.h"

namespace zs {
namespace {

constexpr size_t kMostCandidates = 64;
constexpr std::string_view kOtherName = "zs_taken_away_";

bool IsWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Whether what follows AT in TEXT makes a field of what stands before: quotes,
// spaces, a plus and a colon, in this order.
bool IsFieldEnd(std::string_view text, size_t at) {
  while (at < text.size() && (text[at] == '\'' || text[at] == '"' ||
                              text[at] == ' ' || text[at] == '\t')) {
    ++at;
  }
  at += at < text.size() && text[at] == '+' ? 1 : 0;
  return at < text.size() && text[at] == ':';
}

// Offsets in TEXT at which a field called NAME is defined; also within
// comments, where taking it away changes nothing.
std::vector<size_t> Definitions(std::string_view text, std::string_view name) {
  std::vector<size_t> found;
  for (size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const bool whole =
        (at == 0 || !IsWord(text[at - 1])) &&
        (at + name.size() == text.size() || !IsWord(text[at + name.size()]));
    if (whole && IsFieldEnd(text, at + name.size())) {
      found.push_back(at);
    }
  }
  return found;
}

const Json* FindExperiment(const Json& document, const std::string& name) {
  if (!document.is_object() || !document.contains("experiments") ||
      !document["experiments"].is_array()) {
    return nullptr;
  }
  for (const Json& experiment : document["experiments"]) {
    if (experiment.is_object() && experiment.contains("name") &&
        experiment["name"] == name) {
      return &experiment;
    }
  }
  return nullptr;
}

// The value of FIELD of experiment NAME as JSON; empty: there is none.
std::string ValueIn(const Json& document, const std::string& name,
                    const std::string& field) {
  const Json* value = FindExperiment(document, name);
  for (const std::string& part : Split(field, '.')) {
    if (value == nullptr || !value->is_object() || !value->contains(part)) {
      return "";
    }
    value = &(*value)[part];
  }
  return value == nullptr ? "" : DumpJson(*value);
}

std::string NamesIn(const Json& document) {
  std::vector<std::string> names;
  if (document.is_object() && document.contains("experiments")) {
    for (const Json& experiment : document["experiments"]) {
      if (experiment.is_object() && experiment.contains("name") &&
          experiment["name"].is_string()) {
        names.push_back(experiment["name"].get<std::string>());
      }
    }
  }
  return Join(names, ", ");
}

int LineOf(std::string_view text, size_t at) {
  return 1 + static_cast<int>(std::count(
                 text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at),
                 '\n'));
}

std::string LineText(std::string_view text, size_t at) {
  const size_t before = text.rfind('\n', at);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  std::string_view line = text.substr(begin, text.find('\n', at) - begin);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return std::string(line);
}

// The search for one value.
struct Search {
  const EvalRequest& request;
  const std::string& name;
  const std::string& field;
  const std::string& value;
};

// What becomes of the value without the definition at AT of the file at PATH;
// empty where it stays.
std::optional<Origin> Without(const Search& search, const std::string& path,
                              const std::string& text, size_t at) {
  EvalRequest changed = search.request;
  std::string other = text;
  other.insert(at, kOtherName);
  changed.overlay = {{path, other}};
  Origin origin{
      .file = path, .line = LineOf(text, at), .text = LineText(text, at)};
  const auto evaluated = Evaluate(changed);
  if (!evaluated.ok()) {
    origin.without = "an error";
    return origin;
  }
  const auto document = ParseJson(evaluated->document);
  const std::string value =
      document.ok() ? ValueIn(*document, search.name, search.field) : "";
  if (value == search.value) {
    return std::nullopt;
  }
  origin.decides = true;
  origin.without = value.empty() ? "nothing" : value;
  return origin;
}

}  // namespace

Result<Provenance> FindOrigins(const EvalRequest& request,
                               const std::string& name,
                               const std::string& field) {
  ASSIGN_OR_RETURN(const Evaluated evaluated, Evaluate(request));
  ASSIGN_OR_RETURN(const Json document, ParseJson(evaluated.document));
  if (FindExperiment(document, name) == nullptr) {
    return NotFoundError(request.file + ": no experiment '" + name +
                         "'; there are: " + NamesIn(document));
  }
  Provenance found;
  found.value = ValueIn(document, name, field);
  const std::string last = field.substr(field.find_last_of('.') + 1);
  if (found.value.empty() || last.empty()) {
    return found;
  }
  const Search search{request, name, field, found.value};
  for (const ImportedFile& file : evaluated.files) {
    ASSIGN_OR_RETURN(const std::string text, ReadFile(file.path));
    for (const size_t at : Definitions(text, last)) {
      if (static_cast<size_t>(found.candidates) == kMostCandidates) {
        break;
      }
      ++found.candidates;
      if (auto origin = Without(search, file.path, text, at)) {
        found.origins.push_back(std::move(*origin));
      }
    }
  }
  std::stable_sort(
      found.origins.begin(), found.origins.end(),
      [](const Origin& a, const Origin& b) { return a.decides && !b.decides; });
  return found;
}

}  // namespace zs
