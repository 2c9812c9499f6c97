#include "results/report/table_writer.h"

#include <cmath>
#include <limits>

#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "results/report/text.h"

namespace zs::results {
namespace {

Table Small() {
  Table table;
  table.title = "t";
  table.columns = {{"name", "name", false}, {"ms", "ms", true}};
  table.rows = {{TextCell("a|b"), NumberCell(1.25, 1)},
                {TextCell("=cmd()"), UnknownCell()}};
  table.notes = {"a <note>"};
  return table;
}

TEST(TableWriterTest, Terminal) {
  EXPECT_EQ(WriteTables({Small()}, Format::kTable, {}),
            "t\n"
            "name         ms\n"
            "──────  ───────\n"
            "a|b         1.2\n"
            "=cmd()  unknown\n"
            "a <note>\n");
}

TEST(TableWriterTest, Markdown) {
  EXPECT_EQ(WriteTables({Small()}, Format::kMarkdown, {}),
            "### t\n\n"
            "| name | ms |\n"
            "| --- | ---: |\n"
            "| a\\|b | 1.2 |\n"
            "| =cmd() | unknown |\n"
            "\na &lt;note&gt;\n");
}

TEST(TableWriterTest, CsvKeepsDigitsAndDefusesFormulas) {
  EXPECT_EQ(WriteTables({Small()}, Format::kCsv, {}),
            "name,ms\na|b,1.25\n'=cmd(),unknown\n");
  Table table;
  table.columns = {{"x", "x", false}};
  for (const char* text :
       {"+1", "-1", "@x", "\tx", "a,b", "say \"hi\"", "two\nlines", "plain"}) {
    table.rows.push_back({TextCell(text)});
  }
  table.rows.push_back({NumberCell(-1.5, 0)});
  EXPECT_EQ(WriteTables({table}, Format::kCsv, {}),
            "x\n'+1\n'-1\n'@x\n'\tx\n\"a,b\"\n\"say \"\"hi\"\"\"\n"
            "\"two\nlines\"\nplain\n-1.5\n");
}

TEST(TableWriterTest, JsonHasNullForUnknown) {
  EXPECT_EQ(WriteTables({Small()}, Format::kJson, {}),
            "[\n  {\n    \"ms\": 1.25,\n    \"name\": \"a|b\"\n  },\n"
            "  {\n    \"ms\": null,\n    \"name\": \"=cmd()\"\n  }\n]\n");
}

TEST(TableWriterTest, LongTextsGiveWayAndNumbersDoNot) {
  Table table;
  table.columns = {{"a", "a", false}, {"n", "n", true}};
  table.rows = {{TextCell(std::string(50, 'x')), IntCell(123456789)}};
  TerminalStyle style;
  style.width = 30;
  const std::string text = WriteTables({table}, Format::kTable, style);
  EXPECT_NE(text.find("xxx…  123456789\n"), std::string::npos) << text;
  style.width = 1;  // impossible: the numbers still stand
  EXPECT_NE(WriteTables({table}, Format::kTable, style).find("123456789"),
            std::string::npos);
}

TEST(TableWriterTest, ColumnsThatDoWithoutAreLeftOutAndNamed) {
  Table table;
  table.columns = {
      {"a", "a", false, true},
      {.name = "b", .header = "first", .right = true, .drop = 2},
      {.name = "c", .header = "second", .right = true, .drop = 1},
      {.name = "d", .header = "text", .right = false, .least = 12}};
  table.rows = {{TextCell("name"), IntCell(1), IntCell(2),
                 TextCell(std::string(40, 'x'))}};
  TerminalStyle style;
  style.width = 26;  // name, second and 12 of the text
  EXPECT_EQ(WriteTables({table}, Format::kTable, style),
            "a     second  text\n"
            "────  ──────  ────────────\n"
            "name       2  xxxxxxxxxxx…\n"
            "(a wider terminal shows:\n"
            "first)\n");
  style.width = 60;
  EXPECT_EQ(WriteTables({table}, Format::kTable, style).find("wider"),
            std::string::npos);
  style.width = 10;  // all that may go is gone
  EXPECT_NE(WriteTables({table}, Format::kTable, style).find("name  xxx"),
            std::string::npos);
}

TEST(TableWriterTest, ManyLikeColumnsAreFolded) {
  Table table;
  table.foldable = true;
  table.columns = {{"m", "", false, true}};
  table.rows = {{TextCell("ms")}};
  table.notes = {"a note"};
  for (const char* name : {"one", "two", "three"}) {
    table.columns.push_back({name, name, true});
    table.rows[0].push_back(IntCell(7));
  }
  TerminalStyle style;
  style.width = 12;
  EXPECT_EQ(WriteTables({table}, Format::kTable, style),
            "    one  two\n──  ───  ───\nms    7    7\n\n"
            "    three\n──  ─────\nms      7\na note\n");
}

TEST(TableWriterTest, ColourOnlyWhenAsked) {
  Table table;
  table.columns = {{"v", "v", false}};
  table.rows = {{TextCell("FASTER")}};
  TerminalStyle style;
  EXPECT_EQ(WriteTables({table}, Format::kTable, style).find('\x1b'),
            std::string::npos);
  style.color = true;
  EXPECT_NE(WriteTables({table}, Format::kTable, style).find("\x1b[32mFASTER"),
            std::string::npos);
}

TEST(TableTest, CellsOfWhatIsNotANumberAreUnknown) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(NumberCell(nan, 2).text, "unknown");
  EXPECT_EQ(NumberCell(std::nullopt, 2).text, "unknown");
  EXPECT_EQ(NumberCell(HUGE_VAL, 2).text, "unknown");
  EXPECT_EQ(BytesCell(std::nullopt).text, "unknown");
  EXPECT_EQ(NumberCell(1e300, 2).text.size(), 304u);
}

TEST(TableTest, BytesHaveUnits) {
  EXPECT_EQ(BytesCell(0).text, "0 B");
  EXPECT_EQ(BytesCell(1023).text, "1023 B");
  EXPECT_EQ(BytesCell(1536).text, "1.50 KiB");
  EXPECT_EQ(BytesCell(20 << 20).text, "20.0 MiB");
  EXPECT_EQ(BytesCell(int64_t{3} << 50).text, "3072.0 TiB");
}

TEST(TableTest, FormatsAreNamed) {
  EXPECT_EQ(ParseFormat("csv").value(), Format::kCsv);
  EXPECT_STATUS(ParseFormat("xml"), StatusCode::kInvalidArgument,
                "allowed: table, markdown, csv, json");
}

TEST(TextTest, ControlsAreShown) {
  EXPECT_EQ(Printable("a\x1b[2Jb\n"), "a\\x1b[2Jb\\x0a");
  EXPECT_EQ(Printable("\xff\xc0\xaf"), "\\xff\\xc0\\xaf");
  EXPECT_EQ(Printable("\xe2\x80\xae"
                      "abc"),
            "\\u202eabc");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "1m"),
            "\\x9b1m");
  EXPECT_EQ(Printable("größe 測"), "größe 測");
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(Printable("\xe6\xb8"), "\\xe6\\xb8");           // cut short
}

TEST(TextTest, LinesAreBrokenAtBlanks) {
  EXPECT_EQ(Wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(Wrapped("one two three", 100), "one two three");
  EXPECT_EQ(Wrapped("extraordinary is one", 6), "extraordinary\nis one");
  EXPECT_EQ(Wrapped("", 6), "");
}

TEST(TextTest, WidthsAreThoseOfTheScreen) {
  EXPECT_EQ(DisplayWidth("größe"), 5);
  EXPECT_EQ(DisplayWidth("測試"), 4);
  EXPECT_EQ(DisplayWidth("e\xcc\x81"), 1);  // a combining accent
  EXPECT_EQ(CutTo("測試測試", 5), "測試…");
  EXPECT_EQ(CutTo("abc", 3), "abc");
  EXPECT_EQ(CutTo("abcd", 3), "ab…");
  EXPECT_EQ(CutTo("abcd", 0), "");
}

}  // namespace
}  // namespace zs::results
