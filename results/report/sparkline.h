// A series in one line of text.
#ifndef RESULTS_REPORT_SPARKLINE_H_
#define RESULTS_REPORT_SPARKLINE_H_

#include <string>
#include <vector>

namespace zs::results {

// VALUES in order as at most WIDTH block characters from the lowest (U+2581)
// to the highest (U+2588). Of several values in one column the highest is
// shown, so that no spike is hidden; values that are not finite are left out.
std::string Sparkline(const std::vector<double>& values, int width);

}  // namespace zs::results

#endif  // RESULTS_REPORT_SPARKLINE_H_
