// GPU samples as lines to draw.
#ifndef RESULTS_HTML_GPU_SERIES_H_
#define RESULTS_HTML_GPU_SERIES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "results/store/record.h"

namespace zs::results {

struct GpuLine {
  std::string name;                               // "gpu 3", "highest"
  std::vector<std::pair<double, double>> points;  // seconds, value
};

// What is sampled: "util_pct", "power_w", "temp_c", "sm_clock_mhz".
struct GpuMetric {
  std::string name;
  std::vector<GpuLine> lines;
};

// The samples of one run in seconds after START_UNIX_MS, thinned to at most
// MOST points a line without hiding a dip or a spike. Of up to 8 GPUs each has
// a line; of more there are the lowest, the mean and the highest.
std::vector<GpuMetric> GpuSeries(const std::vector<GpuSample>& samples,
                                 int64_t start_unix_ms, size_t most);

}  // namespace zs::results

#endif  // RESULTS_HTML_GPU_SERIES_H_
