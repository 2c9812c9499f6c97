#include "runner/observe/diagnose/finding.h"

#include <cassert>

#include "runner/observe/text/lines.h"

namespace zs {
namespace {

// TEXT with {1}, {2}, ... replaced.
std::string Filled(std::string_view text,
                   std::span<const std::string> captures) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool place = text[i] == '{' && i + 2 < text.size() &&
                       text[i + 1] >= '1' && text[i + 1] <= '9' &&
                       text[i + 2] == '}';
    if (!place) {
      out += text[i];
      continue;
    }
    const auto group = static_cast<size_t>(text[i + 1] - '1');
    const bool known = group < captures.size() && !captures[group].empty();
    out += known ? Quotable(captures[group], 200) : std::string("(not said)");
    i += 2;
  }
  return out;
}

}  // namespace

Finding MakeFinding(const RunFacts& facts, std::string_view code,
                    const LineRef& at, std::span<const std::string> captures) {
  const int index = SignatureIndex(code);
  assert(index >= 0);
  const Signature& row = Signatures()[index];
  Finding finding;
  finding.code = row.code;
  finding.severity = row.severity;
  finding.order = row.order;
  finding.confidence = row.confidence;
  finding.ends_run = row.ends_run;
  finding.node = at.node;
  finding.rank = at.rank;
  if (at.source < static_cast<int>(facts.sources.size()) && at.line > 0) {
    finding.file = facts.sources[at.source].path;
  }
  finding.line = at.line;
  finding.quote = Quotable(at.quote);
  finding.time_s = at.time_s;
  finding.meaning = Filled(row.meaning, captures);
  finding.causes = row.causes;
  finding.hint = Filled(row.hint, captures);
  finding.sequence = (static_cast<int64_t>(at.source) << 40) + at.line;
  return finding;
}

const Finding* FindFinding(const Findings& findings, std::string_view code) {
  for (const Finding& finding : findings) {
    if (finding.code == code) {
      return &finding;
    }
  }
  return nullptr;
}

Finding* FindFinding(Findings& findings, std::string_view code) {
  return const_cast<Finding*>(
      FindFinding(static_cast<const Findings&>(findings), code));
}

}  // namespace zs
