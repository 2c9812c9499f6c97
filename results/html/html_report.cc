#include "results/html/html_report.h"

#include <algorithm>
#include <string_view>

#include "results/html/charts_js.h"
#include "results/html/d3.h"
#include "results/html/html_text.h"
#include "results/html/page_data.h"
#include "results/html/report_css.h"
#include "results/html/report_js.h"
#include "results/html/section.h"
#include "results/html/sections.h"

namespace zs::results {
namespace {

// A chart's place; report.js draws into it or, where there is no data, takes
// it away.
struct ChartPlace {
  const char* id;
  const char* caption;
  bool wide;
};

constexpr ChartPlace kCharts[] = {
    {"scaling",
     "Tokens per second by ranks; the percentage is the speed per rank beside "
     "the fewest ranks",
     false},
    {"speed", "Tokens per second and rank, at the median step", false},
    {"steps",
     "Step times; pale: warm-up, not used; rings: outliers; the scale is that "
     "of the steps used",
     true},
    {"losses", "Loss", false},
    {"phases", "Where a step's time goes (medians of rank 0)", false},
    {"memory",
     "Memory of the rank with most, by component: predicted above measured",
     true},
    {"sent",
     "Sent in a step by one rank; the mark is what the stage needs in theory",
     false},
    {"exposed", "Communication that no computing hides", false},
    {"busbw", "Bus bandwidth by size; dashed: the least expected", true},
    {"telemetry", "GPUs over the run", true},
};

std::string ChartsHtml() {
  std::string out =
      "<section id=\"charts\"><h2>Charts</h2>\n"
      "<noscript><p>The charts need scripts; every figure "
      "stands in the tables too.</p></noscript>\n"
      "<div class=\"charts\">\n";
  for (const ChartPlace& chart : kCharts) {
    out += std::string("<figure id=\"") + chart.id + "\"" +
           (chart.wide ? " class=\"wide\"" : "") + "><figcaption>" +
           HtmlText(chart.caption) + "</figcaption></figure>\n";
  }
  return out + "</div></section>\n";
}

// The comparison in one line: sweep, hosts, when.
std::string SubtitleHtml(const Comparison& comparison,
                         const Evidence& evidence) {
  std::string sweeps;
  for (const SweepEvidence& sweep : evidence.sweeps) {
    sweeps += (sweeps.empty() ? "" : ", ") + sweep.sweep.start.name;
  }
  const auto measured = std::count_if(
      comparison.experiments.begin(), comparison.experiments.end(),
      [](const ComparedExperiment& e) { return e.n > 0; });
  std::string out = std::to_string(measured) + " of " +
                    std::to_string(comparison.experiments.size()) +
                    " experiments measured";
  if (!sweeps.empty()) {
    out += ", sweep " + sweeps;
  }
  return "<p class=\"soft\">" + HtmlText(out) + "</p>\n";
}

// A paragraph for each sentence: what is wrong, who is best, then the rest.
std::string VerdictHtml(const Comparison& comparison) {
  static constexpr std::pair<VerdictKind, const char*> kClasses[] = {
      {VerdictKind::kWrong, "wrong"},
      {VerdictKind::kBest, "best"},
      {VerdictKind::kDetail, "detail"},
      {VerdictKind::kCaution, "caution"}};
  std::string out = "<div class=\"verdict\" role=\"status\">\n";
  for (const VerdictLine& line : comparison.verdict_lines) {
    for (const auto& [kind, name] : kClasses) {
      if (kind == line.kind) {
        out += std::string("<p class=\"") + name + "\">" + HtmlText(line.text) +
               "</p>\n";
      }
    }
  }
  return out + "</div>\n";
}

std::string PolicyHtml(std::string_view style, bool live) {
  return "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
         "'none'; style-src " +
         ContentHash(style) + "; script-src " + ContentHash(kD3) + " " +
         ContentHash(kChartsJs) + " " + ContentHash(kReportJs) +
         (live ? "; connect-src 'self'" : "") +
         "; base-uri 'none'; form-action 'none'\">\n";
}

std::string HeadHtml(const PageOptions& options) {
  const bool live = options.refresh_s > 0;
  return "<!doctype html>\n<html lang=\"en\"" +
         (live ? " data-refresh=\"" + std::to_string(options.refresh_s) + "\""
               : std::string()) +
         ">\n<head>\n<meta charset=\"utf-8\">\n" +
         PolicyHtml(kReportCss, live) +
         "<meta name=\"viewport\" content=\"width=device-width, "
         "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
         "dark\">\n<title>" +
         HtmlText(options.title) + "</title>\n<style>" +
         std::string(kReportCss) + "</style>\n</head>\n";
}

// Links to the sections that BODY has.
std::string NavigationHtml(const std::string& body) {
  static constexpr std::pair<const char*, const char*> kLinks[] = {
      {"summary", "Comparison"},      {"charts", "Charts"},
      {"metrics", "Every metric"},    {"prediction", "Predicted"},
      {"ledger", "Communication"},    {"health", "Health"},
      {"checks", "Checks"},           {"differences", "Differences"},
      {"environment", "Environment"}, {"again", "Again"}};
  std::string out = "<nav aria-label=\"Sections\">";
  for (const auto& [id, title] : kLinks) {
    if (body.find(std::string("<section id=\"") + id + "\"") !=
        std::string::npos) {
      out += std::string("<a href=\"#") + id + "\">" + title + "</a> ";
    }
  }
  return out + "</nav>\n";
}

std::string ScriptsHtml(const Comparison& comparison,
                        const Evidence& evidence) {
  return "<script type=\"application/json\" id=\"data\">" +
         IslandJson(PageData(comparison, evidence)) + "</script>\n<script>" +
         std::string(kD3) + "</script>\n<script>" + std::string(kChartsJs) +
         "</script>\n<script>" + std::string(kReportJs) + "</script>\n";
}

}  // namespace

std::string WriteHtml(const Comparison& comparison, const Evidence& evidence,
                      const PageOptions& options) {
  const std::string body =
      SummarySection(comparison, evidence) + ChartsHtml() +
      MetricsSection(comparison) + PredictionSection(comparison, evidence) +
      LedgerSection(comparison, evidence) +
      HealthSection(comparison, evidence) + ChecksSection(evidence) +
      DifferencesSection(comparison) +
      EnvironmentSection(comparison, evidence) +
      AgainSection(evidence, options.again);
  return HeadHtml(options) + "<body>\n<main>\n<header><h1>" +
         HtmlText(options.title) + "</h1>\n" +
         SubtitleHtml(comparison, evidence) + VerdictHtml(comparison) +
         NavigationHtml(body) + "</header>\n" + body +
         "<footer>Charts by D3 3, copyright 2010-2016 Mike Bostock, under the "
         "BSD 3-clause licence.</footer>\n</main>\n" +
         ScriptsHtml(comparison, evidence) + "</body>\n</html>\n";
}

}  // namespace zs::results
