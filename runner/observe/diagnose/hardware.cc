#include "runner/observe/diagnose/hardware.h"

namespace zs {
namespace {

bool Holds(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

struct Row {
  std::string_view gpu;
  int min_ranks;  // on one node
  int max_ranks;
  double busbw_gb_s;
};

// One node, large messages, ring or better; the slower of the public figures
// of each kind, so that a healthy machine is never called slow.
constexpr Row kOneNode[] = {
    {"GB200", 2, 4, 600},    {"GB300", 2, 4, 600}, {"B200", 2, 8, 600},
    {"B300", 2, 8, 600},     {"H200", 2, 2, 300},  {"H200", 3, 8, 365},
    {"H100", 3, 8, 365},     {"H100", 2, 2, 300},  {"H800", 2, 8, 160},
    {"A100-SXM", 2, 8, 230}, {"A800", 2, 8, 160},  {"V100-SXM", 2, 8, 115},
};

// Several nodes: what the usual network of such a machine gives. Of machines
// that are built with eight 400 Gb/s HCAs only less than a quarter of that is
// told: some have slower ones.
struct SeveralRow {
  std::string_view gpu;
  int min_ranks;
  int max_ranks;
  double busbw_gb_s;
  double share;
  std::string_view suspect;
};
constexpr SeveralRow kSeveralNodes[] = {
    {"GB10", 2, 8, 23.7, 0.9, "mtu-small"},
    {"H100 80GB HBM3", 16, 8192, 320, 0.25, {}},
    {"H200", 16, 8192, 320, 0.25, {}},
};

}  // namespace

bool IsConsumerGpu(const std::vector<std::string>& gpus) {
  for (const std::string& gpu : gpus) {
    if (Holds(gpu, "GeForce") || Holds(gpu, "RTX") || Holds(gpu, "GB10")) {
      return true;
    }
  }
  return false;
}

bool HasNvlink(const std::vector<std::string>& gpus) {
  for (const std::string& gpu : gpus) {
    if (Holds(gpu, "PCIe") || Holds(gpu, " NVL")) {
      continue;
    }
    for (const std::string_view kind :
         {"H100", "H200", "H800", "H20", "A100-SXM", "A800-SXM", "V100-SXM",
          "B200", "B300", "GB200", "GB300"}) {
      if (Holds(gpu, kind)) {
        return true;
      }
    }
  }
  return false;
}

BandwidthReference ReferenceBandwidth(const std::vector<std::string>& gpus,
                                      int nodes, int ranks,
                                      std::string_view operation) {
  if (gpus.empty()) {
    return {};
  }
  const std::string_view gpu = gpus.front();
  if (nodes > 1) {
    for (const SeveralRow& row : kSeveralNodes) {
      if (Holds(gpu, row.gpu) && ranks >= row.min_ranks &&
          ranks <= row.max_ranks && ranks % nodes == 0) {
        return {row.busbw_gb_s, row.share, row.suspect};
      }
    }
    return {};
  }
  if (!HasNvlink(gpus)) {
    return {};
  }
  for (const Row& row : kOneNode) {
    if (Holds(gpu, row.gpu) && ranks >= row.min_ranks &&
        ranks <= row.max_ranks) {
      // Gathers and scatters of two GPUs reach less than an all-reduce.
      const bool all_reduce = operation.empty() || operation == "all_reduce";
      return {row.busbw_gb_s, all_reduce ? 0.8 : 0.7, {}};
    }
  }
  return {};
}

}  // namespace zs
