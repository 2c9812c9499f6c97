#include "results/html/html_report.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "results/html/d3.h"
#include "results/html/downsample.h"
#include "results/html/html_text.h"
#include "results/html/report_css.h"
#include "results/html/report_js.h"
#include "results/report/comparison_json.h"
#include "results/report/comparison_writer.h"
#include "results/report/table.h"

namespace zs::results {
namespace {

// Points of a series, and of all together: more only make the page slow.
constexpr size_t kMostPoints = 2000;
constexpr size_t kMostPointsInAll = 60000;
constexpr size_t kFewestPoints = 200;
constexpr size_t kMostColumns = 6;  // of experiments side by side

// The class that colours a word.
std::string_view ClassOf(std::string_view text) {
  static constexpr std::pair<std::string_view, std::string_view> kClasses[] = {
      {"FASTER", "good"},   {"equal", "good"},     {"SLOWER", "bad"},
      {"DIFFERENT", "bad"}, {"UNDECIDED", "open"}, {"unknown", "unknown"}};
  for (const auto& [word, name] : kClasses) {
    if (word == text) {
      return name;
    }
  }
  return "";
}

std::string ValueAttribute(const Cell& cell) {
  Json value;
  if (const auto* number = std::get_if<int64_t>(&cell.value)) {
    value = *number;
  } else if (const auto* fraction = std::get_if<double>(&cell.value)) {
    value = *fraction;
  } else {
    return "";
  }
  return " data-value=\"" + DumpJson(value) + "\"";
}

std::string CellHtml(const Cell& cell, const Column& column, bool header) {
  const std::string tag = header ? "th" : "td";
  std::string classes = column.right ? "number" : "";
  const std::string_view word = ClassOf(cell.text);
  classes += (classes.empty() || word.empty() ? "" : " ") + std::string(word);
  return "<" + tag + (header ? " scope=\"row\"" : "") +
         (classes.empty() ? "" : " class=\"" + classes + "\"") +
         ValueAttribute(cell) + ">" + HtmlText(cell.text) + "</" + tag + ">";
}

std::string TableHtml(const Table& table, const std::string& caption,
                      bool sortable) {
  std::string out = "<div class=\"scroll\"><table";
  out += sortable ? " class=\"sortable\"" : "";
  out += " aria-label=\"" + HtmlText(caption) + "\"><thead><tr>";
  for (const Column& column : table.columns) {
    out += std::string("<th scope=\"col\"") +
           (column.right ? " class=\"number\">" : ">") +
           HtmlText(column.header) + "</th>";
  }
  out += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (size_t i = 0; i < row.size() && i < table.columns.size(); ++i) {
      out += CellHtml(row[i], table.columns[i], i == 0);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string Figure(const std::string& id, const std::string& caption,
                   bool wide) {
  return "<figure id=\"" + id + "\"" + (wide ? " class=\"wide\"" : "") +
         "><figcaption>" + HtmlText(caption) + "</figcaption></figure>\n";
}

std::string ChartsHtml() {
  return "<h2>Charts</h2>\n<div class=\"charts\">\n" +
         Figure("ratios",
                "Speed against the baseline, 95% intervals; the band is what "
                "counts as the same",
                false) +
         Figure("speed", "Tokens per second and rank, at the median step",
                false) +
         Figure("steps",
                "Step times; pale: warm-up, not used; ringed: outliers", true) +
         Figure("memory", "Memory of the rank with most, by component", true) +
         Figure("sent",
                "Sent in a step by one rank; dashed: what theory gives for "
                "the stage",
                false) +
         Figure("exposed", "Communication that no computing hides", false) +
         "</div>\n";
}

std::string NotesHtml(const Comparison& comparison) {
  if (comparison.notes.empty()) {
    return "";
  }
  std::string out = "<h2>Differences and observations</h2>\n<ul>\n";
  for (const std::string& note : comparison.notes) {
    out += "<li>" + HtmlText(note) + "</li>\n";
  }
  return out + "</ul>\n";
}

std::string AgainHtml(const Comparison& comparison) {
  std::string names;
  for (const ComparedExperiment& e : comparison.experiments) {
    names += (names.empty() ? "" : ",") + e.name;
  }
  return "<h2>How to make this again</h2>\n<p><code>runner report --compare " +
         HtmlText(names) + " --baseline " + HtmlText(comparison.baseline) +
         " --format html</code></p>\n<p>Definitions of every number: "
         "docs/metrics.md.</p>\n";
}

Json SeriesJson(const ComparedExperiment& e, size_t most) {
  Json series = Json::array();
  for (const StepPoint& point : Downsampled(e.times, most)) {
    series.push_back({point.step, std::round(point.ms * 1000) / 1000});
  }
  return series;
}

Json DataOf(const Comparison& comparison) {
  Json data = ToJson(comparison);
  data["series"] = Json::array();
  const size_t share =
      kMostPointsInAll / std::max<size_t>(1, comparison.experiments.size());
  const size_t most = std::clamp(share, kFewestPoints, kMostPoints);
  for (size_t i = 0; i < comparison.experiments.size(); ++i) {
    const ComparedExperiment& e = comparison.experiments[i];
    data["series"].push_back(SeriesJson(e, most));
    data["experiments"][i]["outliers"] = e.outliers;
  }
  return data;
}

std::string HeadHtml(std::string_view style) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n"
         "<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
         "'none'; style-src " +
         ContentHash(style) + "; script-src " + ContentHash(kD3) + " " +
         ContentHash(kReportJs) +
         "; base-uri 'none'; form-action 'none'\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, "
         "initial-scale=1\">\n<title>zerosweep comparison</title>\n<style>" +
         std::string(style) + "</style>\n</head>\n";
}

}  // namespace

std::string WriteHtml(const Comparison& comparison) {
  std::string page = HeadHtml(kReportCss);
  page += "<body>\n<main>\n<h1>Comparison with " +
          HtmlText(comparison.baseline) + "</h1>\n<p class=\"verdict\">" +
          HtmlText(comparison.verdict) + "</p>\n<h2>Figures</h2>\n";
  if (comparison.experiments.size() <= kMostColumns) {
    page += TableHtml(MetricTable(comparison), "every metric", false);
  }
  page += ChartsHtml() + "<h2>All experiments</h2>\n" +
          TableHtml(BriefTable(comparison), "experiments, sortable", true) +
          NotesHtml(comparison) + AgainHtml(comparison);
  page +=
      "<footer>Charts by D3 3, copyright 2010-2016 Mike Bostock, under the BSD "
      "3-clause licence.</footer>\n</main>\n<script type=\"application/json\" "
      "id=\"data\">" +
      IslandJson(DataOf(comparison)) + "</script>\n<script>" +
      std::string(kD3) + "</script>\n<script>" + std::string(kReportJs) +
      "</script>\n</body>\n</html>\n";
  return page;
}

}  // namespace zs::results
