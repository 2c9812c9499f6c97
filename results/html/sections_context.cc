#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/shell.h"
#include "results/html/html_table.h"
#include "results/html/html_text.h"
#include "results/html/section.h"
#include "results/html/sections.h"

namespace zs::results {
namespace {

constexpr size_t kMostFindings = 200;

Table FindingTable(const Comparison& comparison, const Evidence& evidence) {
  Table table;
  table.columns = {
      {"name", "experiment", false}, {"severity", "severity", false},
      {"code", "code", false},       {"where", "where", false},
      {"message", "finding", false}, {"evidence", "evidence", false},
      {"hint", "what to do", false}, {"count", "times", true}};
  for (size_t i = 0; i < comparison.experiments.size(); ++i) {
    for (const FindingRow& f : evidence.at(i).findings) {
      if (table.rows.size() == kMostFindings) {
        return table;
      }
      const std::string rank =
          f.rank ? "rank " + std::to_string(*f.rank) : std::string();
      table.rows.push_back(
          {TextCell(comparison.experiments[i].name),
           TextCell(std::string(Name(f.severity))), TextCell(f.code),
           TextCell(f.node + (f.node.empty() || rank.empty() ? "" : ", ") +
                    rank),
           TextCell(f.message), TextCell(f.evidence), TextCell(f.hint),
           IntCell(f.count)});
    }
  }
  return table;
}

std::string HealthHtml(const Comparison& comparison) {
  std::map<std::string, std::string> names_by_health;
  for (const ComparedExperiment& e : comparison.experiments) {
    std::string& names = names_by_health[e.nccl_health];
    names += (names.empty() ? "" : ", ") + e.name;
  }
  std::string out;
  for (const auto& [health, names] : names_by_health) {
    out += "<li><strong>" + HtmlText(health) + "</strong>: " + HtmlText(names) +
           "</li>\n";
  }
  return "<p>NCCL's health, as its log tells it:</p><ul>\n" + out + "</ul>\n";
}

// A document as lines of "path: value".
void Flatten(const std::string& path, const Json& value,
             std::vector<std::pair<std::string, std::string>>& out) {
  if (value.is_object()) {
    for (const auto& [name, inner] : value.items()) {
      Flatten(path.empty() ? name : path + "." + name, inner, out);
    }
    return;
  }
  out.emplace_back(
      path, value.is_string() ? value.get<std::string>() : DumpJson(value));
}

Table FlatTable(const std::string& json) {
  Table table;
  table.columns = {{"name", "name", false}, {"value", "value", false}};
  const Result<Json> document = ParseJson(json);
  std::vector<std::pair<std::string, std::string>> lines;
  if (document.ok()) {
    Flatten("", *document, lines);
  }
  for (const auto& [name, value] : lines) {
    table.rows.push_back({TextCell(name), TextCell(value)});
  }
  return table;
}

std::string HostsOf(const RunEvidence& run) {
  std::string hosts;
  for (const NodeRow& node : run.nodes) {
    hosts += (hosts.empty() ? "" : ", ") + node.host + " (" +
             std::to_string(node.ranks) + " ranks)";
  }
  return hosts;
}

std::string CommandOf(const SweepStart& start) {
  const Result<Json> args = ParseJson(start.args_json);
  std::string command = "runner";
  if (!args.ok() || !args->is_array()) {
    return command + " " + ShellQuoted(start.file);
  }
  for (const Json& word : *args) {
    command += " " + ShellQuoted(word.is_string() ? word.get<std::string>()
                                                  : DumpJson(word));
  }
  return command;
}

}  // namespace

std::string HealthSection(const Comparison& comparison,
                          const Evidence& evidence) {
  const Table table = FindingTable(comparison, evidence);
  std::string body = HealthHtml(comparison);
  body += table.rows.empty()
              ? "<p>Nothing was found in the logs of these runs.</p>\n"
              : TableHtml(table, {.caption = "Findings with the line that says "
                                             "so",
                                  .sortable = true});
  return Section("health", "Health and findings", body);
}

std::string ChecksSection(const Evidence& evidence) {
  Table table;
  table.columns = {{"name", "check", false},     {"node", "node", false},
                   {"status", "status", false},  {"found", "found", false},
                   {"allowed", "wanted", false}, {"hint", "what to do", false}};
  for (const SweepEvidence& sweep : evidence.sweeps) {
    for (const CheckRow& c : sweep.checks) {
      table.rows.push_back({TextCell(c.name), TextCell(c.node),
                            TextCell(std::string(Name(c.status))),
                            TextCell(c.found), TextCell(c.allowed),
                            TextCell(c.hint)});
    }
  }
  return table.rows.empty()
             ? ""
             : Section("checks", "Checks",
                       TableHtml(table, {.caption = "What was verified before "
                                                    "anything started",
                                         .sortable = true}));
}

std::string DifferencesSection(const Comparison& comparison) {
  Table table;
  table.columns = {{"name", "experiment", false},
                   {"path", "what differs", false},
                   {"baseline", "baseline", false},
                   {"value", "here", false},
                   {"unfair", "", false}};
  for (const Difference& d : comparison.differences) {
    table.rows.push_back({TextCell(d.experiment), TextCell(d.path),
                          TextCell(d.baseline), TextCell(d.value),
                          TextCell(d.unfair ? "unfair" : "")});
  }
  std::string body;
  if (!comparison.notes.empty()) {
    body += "<ul>\n";
    for (const std::string& note : comparison.notes) {
      body += "<li>" + HtmlText(note) + "</li>\n";
    }
    body += "</ul>\n";
  }
  if (!table.rows.empty()) {
    body += TableHtml(table,
                      {.caption = "Beyond the ZeRO stage", .sortable = true});
  }
  return Section("differences", "Differences and observations", body);
}

std::string EnvironmentSection(const Comparison& comparison,
                               const Evidence& evidence) {
  std::vector<std::pair<std::string, std::string>> distinct;  // JSON, names
  for (size_t i = 0; i < evidence.runs.size(); ++i) {
    const RunEvidence& run = evidence.runs[i];
    if (run.run_id == 0) {
      continue;
    }
    const Json both = {{"hosts", HostsOf(run)},
                       {"versions", run.run.effective.versions_json},
                       {"environment", run.environment_json}};
    const std::string text = DumpJson(both);
    const auto known =
        std::find_if(distinct.begin(), distinct.end(),
                     [&](const auto& entry) { return entry.first == text; });
    const std::string& name = comparison.experiments[i].name;
    if (known == distinct.end()) {
      distinct.emplace_back(text, name);
    } else {
      known->second += ", " + name;
    }
  }
  std::string body;
  for (const auto& [text, names] : distinct) {
    const Json both = *ParseJson(text);
    Table table = FlatTable(both["environment"].get<std::string>());
    const Table versions = FlatTable(both["versions"].get<std::string>());
    table.rows.insert(table.rows.begin(), versions.rows.begin(),
                      versions.rows.end());
    table.rows.insert(
        table.rows.begin(),
        {TextCell("hosts"), TextCell(both["hosts"].get<std::string>())});
    body += "<details" + std::string(distinct.size() == 1 ? " open" : "") +
            "><summary>" + HtmlText(names) + "</summary>" +
            TableHtml(table, {.caption = "Environment; secrets are masked"}) +
            "</details>\n";
  }
  return Section("environment", "Environment", body);
}

std::string AgainSection(const Evidence& evidence, const std::string& again) {
  std::string body;
  for (const SweepEvidence& sweep : evidence.sweeps) {
    body += (body.empty() ? "<p>The experiments:</p>\n" : "") +
            ("<pre><code>" + HtmlText(CommandOf(sweep.sweep.start))) +
            "</code></pre>\n";
  }
  if (!again.empty()) {
    body +=
        "<p>This page:</p>\n<pre><code>" + HtmlText(again) + "</code></pre>\n";
  }
  return Section(
      "again", "How to make this again",
      body + "<p>Definitions of every number: docs/metrics.md.</p>\n");
}

}  // namespace zs::results
