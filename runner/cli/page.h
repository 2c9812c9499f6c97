// The HTML page of a comparison or of a whole sweep.
#ifndef RUNNER_CLI_PAGE_H_
#define RUNNER_CLI_PAGE_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "results/report/compare.h"
#include "results/store/reader.h"

namespace zs {

// The newest sweep, of OPTIONS' name where it has one. kNotFound: there is
// none.
Result<results::SweepRow> NewestSweep(const results::Reader& reader,
                                      const results::CompareOptions& options);

struct PageRequest {
  std::vector<std::string> compare;  // empty: the newest sweep, whole
  results::CompareOptions options;
  int refresh_s = 0;  // above 0: the page looks for a newer one
};

struct Page {
  std::string html;
  bool measured = false;  // as Comparison::measured
};

// kNotFound where nothing is on record under those names.
Result<Page> MakePage(const results::Reader& reader,
                      const PageRequest& request);

}  // namespace zs

#endif  // RUNNER_CLI_PAGE_H_
