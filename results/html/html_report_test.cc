#include "results/html/html_report.h"

#include <cstdlib>
#include <fstream>

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/html/downsample.h"
#include "results/html/html_text.h"
#include "results/report/compare.h"
#include "results/report/sample_record.h"

namespace zs::results {
namespace {

Comparison Sample() {
  SampleRecord record;
  for (const SampleRun& sample : ThreeStages()) {
    record.AddRun(sample);
  }
  auto comparison = Compare(record.reader(), {"z0", "z1", "z2"}, {});
  EXPECT_OK(comparison);
  return *comparison;
}

// What stands between the data island's tags.
Json IslandOf(const std::string& page) {
  const std::string open = "id=\"data\">";
  const size_t begin = page.find(open) + open.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(HtmlReportTest, HoldsSentenceTablesAndData) {
  const Comparison comparison = Sample();
  const std::string page = WriteHtml(comparison);
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_NE(page.find(HtmlText(comparison.verdict)), std::string::npos);
  EXPECT_NE(page.find("<td class=\"number good\">FASTER</td>"),
            std::string::npos);
  const Json data = IslandOf(page);
  EXPECT_EQ(data["series"].size(), 3u);
  EXPECT_EQ(data["series"][0].size(), 30u);
  EXPECT_EQ(data["experiments"][1]["ratio"]["word"], "FASTER");
  EXPECT_EQ(page, WriteHtml(comparison));
  // To look at: HTML_OUT=/tmp/report.html and the test's program.
  if (const char* path = std::getenv("HTML_OUT")) {
    std::ofstream(path) << page;
  }
}

TEST(HtmlReportTest, AsksNobodyForAnything) {
  const std::string page = WriteHtml(Sample());
  EXPECT_EQ(page.find(" src="), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(HtmlReportTest, HostileTextIsText) {
  Comparison comparison = Sample();
  const std::string attack = "</script><script>alert(1)</script><b onload='x'>";
  comparison.experiments[1].name = attack;
  comparison.verdict = attack;
  comparison.notes = {attack};
  const std::string page = WriteHtml(comparison);
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
  const std::string page = WriteHtml(comparison);
  EXPECT_NE(page.find("class=\"number unknown\">unknown"), std::string::npos);
  // In the page's own part, before the scripts.
  EXPECT_EQ(page.substr(0, page.find("id=\"data\"")).find(">nan"),
            std::string::npos);
}

TEST(HtmlReportTest, LongSweepsStaySmall) {
  Comparison comparison = Sample();
  ComparedExperiment e = comparison.experiments[1];
  e.times.clear();
  for (int64_t step = 1; step <= 10000; ++step) {
    e.times.push_back({step, 100 + static_cast<double>(step % 97) / 7});
  }
  e.times[5000].ms = 900;
  for (int i = 0; i < 100; ++i) {
    comparison.experiments.push_back(e);
  }
  const std::string page = WriteHtml(comparison);
  EXPECT_LT(page.size(), 10'000'000u);
  EXPECT_NE(page.find("[5001,900.0]"), std::string::npos);
}

TEST(DownsampleTest, KeepsEndsAndExtremes) {
  std::vector<StepPoint> points;
  for (int64_t step = 1; step <= 1000; ++step) {
    points.push_back({step, 1.0});
  }
  points[123].ms = 5;
  points[700].ms = 0.1;
  const auto kept = Downsampled(points, 50);
  EXPECT_LE(kept.size(), 50u);
  EXPECT_EQ(kept.front().step, 1);
  EXPECT_EQ(kept.back().step, 1000);
  bool high = false;
  bool low = false;
  for (size_t i = 0; i < kept.size(); ++i) {
    high |= kept[i].ms == 5;
    low |= kept[i].ms == 0.1;
    EXPECT_TRUE(i == 0 || kept[i - 1].step < kept[i].step);
  }
  EXPECT_TRUE(high && low);
  EXPECT_EQ(Downsampled(points, 1000).size(), 1000u);
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
