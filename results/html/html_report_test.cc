#include "results/html/html_report.h"

#include <utility>

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/html/evidence.h"
#include "results/html/html_text.h"
#include "results/report/compare.h"
#include "results/report/sample_record.h"

namespace zs::results {
namespace {

struct Page {
  Comparison comparison;
  Evidence evidence;
};

Page Sample() {
  SampleRecord record;
  for (const SampleRun& sample : ThreeStages()) {
    record.AddRun(sample);
  }
  auto comparison = Compare(record.reader(), {"z0", "z1", "z2"}, {});
  EXPECT_OK(comparison);
  auto evidence = ReadEvidence(record.reader(), *comparison);
  EXPECT_OK(evidence);
  return {*std::move(comparison), *std::move(evidence)};
}

std::string Html(const Page& page) {
  return WriteHtml(page.comparison, page.evidence);
}

// What stands between the data island's tags.
Json IslandOf(const std::string& page) {
  const std::string open = "id=\"data\">";
  const size_t begin = page.find(open) + open.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(HtmlReportTest, HoldsSentenceTablesAndData) {
  const Page sample = Sample();
  const std::string page = Html(sample);
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  for (const VerdictLine& line : sample.comparison.verdict_lines) {
    EXPECT_NE(page.find(HtmlText(line.text)), std::string::npos) << line.text;
  }
  EXPECT_NE(page.find("<p class=\"best\">BEST: z1"), std::string::npos);
  EXPECT_NE(page.find("<td class=\"good\">FASTER</td>"), std::string::npos);
  EXPECT_NE(page.find("<section id=\"ledger\">"), std::string::npos);
  const Json data = IslandOf(page);
  const Json& z1 = data["experiments"][1];
  EXPECT_EQ(z1["series"].size(), 30u);
  EXPECT_EQ(z1["losses"].size(), 30u);
  EXPECT_EQ(z1["ratio"]["word"], "FASTER");
  EXPECT_EQ(z1["model"], "gpt_smoke");
  EXPECT_EQ(z1["ledger"][0]["bytes"], 1e6);
}

TEST(HtmlReportTest, TheSameRecordGivesTheSameBytes) {
  EXPECT_EQ(Html(Sample()), Html(Sample()));
}

TEST(HtmlReportTest, AsksNobodyForAnything) {
  const std::string page = Html(Sample());
  EXPECT_EQ(page.find(" src="), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find("connect-src"), std::string::npos);
  const Page sample = Sample();
  EXPECT_NE(WriteHtml(sample.comparison, sample.evidence,
                      {.title = "live", .refresh_s = 2})
                .find("connect-src 'self'"),
            std::string::npos);
}

TEST(HtmlReportTest, HostileTextIsText) {
  Page sample = Sample();
  const std::string attack = "</script><script>alert(1)</script><b onload='x'>";
  sample.comparison.experiments[1].name = attack;
  sample.comparison.verdict_lines = {{VerdictKind::kBest, attack}};
  sample.comparison.notes = {attack};
  sample.comparison.differences = {{attack, attack, attack, attack, true}};
  RunEvidence& run = sample.evidence.runs[1];
  run.run.experiment.model = attack;
  run.environment_json = DumpJson(Json{{attack, attack}});
  run.findings = {{.code = attack,
                   .node = attack,
                   .message = attack,
                   .hint = attack,
                   .evidence = attack}};
  run.ledger.push_back({.op = attack});
  run.gpu = {{.at_unix_ms = 1, .util_pct = 5, .throttle_reasons = attack}};
  sample.evidence.sweeps[0].sweep.start.file = attack;
  sample.evidence.sweeps[0].sweep.start.args_json = DumpJson(Json{attack});
  sample.evidence.sweeps[0].checks = {
      {.name = attack, .node = attack, .found = attack, .hint = attack}};
  const std::string page =
      WriteHtml(sample.comparison, sample.evidence, {.title = attack});
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<b onload"), std::string::npos);
  EXPECT_EQ(IslandOf(page)["experiments"][1]["name"], attack);
}

TEST(HtmlReportTest, NothingMeasuredIsStillAPage) {
  Comparison comparison;
  ComparedExperiment e;
  e.name = e.baseline = "z0";
  e.missing = "has not been run";
  comparison.experiments = {e};
  const std::string page = WriteHtml(comparison, {});
  EXPECT_NE(page.find("class=\"number unknown\">unknown"), std::string::npos);
  // In the page's own part, before the scripts.
  EXPECT_EQ(page.substr(0, page.find("id=\"data\"")).find(">nan"),
            std::string::npos);
}

TEST(HtmlReportTest, TrafficOffTheoryIsRed) {
  Page sample = Sample();
  const std::string before = Html(sample);
  EXPECT_EQ(before.find("<td class=\"bad\">all_reduce"), std::string::npos);
  sample.evidence.runs[1].ledger[0].differs = true;
  EXPECT_NE(Html(sample).find("<td class=\"bad\">all_reduce"),
            std::string::npos);
}

TEST(HtmlReportTest, LongSweepsStaySmall) {
  Page sample = Sample();
  ComparedExperiment e = sample.comparison.experiments[1];
  RunEvidence run = sample.evidence.runs[1];
  e.times.clear();
  run.losses.clear();
  for (int64_t step = 1; step <= 10000; ++step) {
    e.times.push_back({step, 100 + static_cast<double>(step % 97) / 7});
    run.losses.push_back({step, 5.0 / static_cast<double>(step)});
    for (int gpu = 0; gpu < 2; ++gpu) {
      run.gpu.push_back({.gpu = gpu,
                         .at_unix_ms = 1'700'000'000'000 + step * 100,
                         .util_pct = 90,
                         .power_w = 600 + static_cast<double>(step % 50)});
    }
  }
  e.window_last = 10000;
  e.times[5000].ms = 900;
  for (int i = 0; i < 100; ++i) {
    e.name = "z1_" + std::to_string(i);
    sample.comparison.experiments.push_back(e);
    sample.evidence.runs.push_back(run);
  }
  const std::string page = Html(sample);
  EXPECT_LT(page.size(), 10'000'000u);
  EXPECT_NE(page.find("[5001,900.0]"), std::string::npos);
}

TEST(HtmlTextTest, KnownHashes) {
  // SHA-256 of nothing (FIPS 180-4 examples) in base64.
  EXPECT_EQ(ContentHash(""),
            "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
}

TEST(HtmlTextTest, Escapes) {
  EXPECT_EQ(HtmlText("<a href=\"x\">'&\x1b"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;\\x1b");
  EXPECT_EQ(IslandJson("</script>\xe2\x80\xa8"), "\"\\u003c/script>\\u2028\"");
}

}  // namespace
}  // namespace zs::results
