// Which words the scanner looks for, and what reads a line that holds one.
#ifndef RUNNER_OBSERVE_PARSE_WORDS_H_
#define RUNNER_OBSERVE_PARSE_WORDS_H_

#include <memory>
#include <string>
#include <vector>

#include "re2/re2.h"
#include "runner/observe/parse/observation.h"
#include "runner/observe/text/literals.h"

namespace zs {

using LineParser = size_t (*)(const LogLine& line, size_t at,
                              ObservationSink& sink);

// How a word's line is read.
enum class WordUse {
  kParser,     // by WordEntry::parser
  kTraceback,  // opens a Python traceback
  kReport,     // belongs to torchrun's failure report
  kCatalogue,  // by expressions alone
};

struct WordEntry {
  WordUse use = WordUse::kCatalogue;
  LineParser parser = nullptr;
  std::vector<int> expressions;  // of the catalogue, to try on the line
};

// All words of parsers and catalogue with one matcher for them. Built once;
// immutable, safe to share.
class WordTable {
 public:
  static const WordTable& Get();

  const LiteralMatcher& matcher() const { return *matcher_; }
  const WordEntry& entry(int word) const { return entries_[word]; }
  const re2::RE2& regex(int expression) const { return *regexes_[expression]; }
  int signature(int expression) const { return signatures_[expression]; }
  size_t words() const { return words_.size(); }
  size_t expressions() const { return regexes_.size(); }

 private:
  WordTable();
  WordEntry& Add(const std::string& word);

  std::vector<std::string> words_;
  std::vector<WordEntry> entries_;
  std::vector<std::unique_ptr<re2::RE2>> regexes_;
  std::vector<int> signatures_;
  std::unique_ptr<LiteralMatcher> matcher_;
};

}  // namespace zs

#endif  // RUNNER_OBSERVE_PARSE_WORDS_H_
