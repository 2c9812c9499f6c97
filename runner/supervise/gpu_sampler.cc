#include "runner/supervise/gpu_sampler.h"

#include <charconv>
#include <cmath>

#include "base/strings.h"

namespace zs {
namespace {

// A driver knows one of these names for the same thing, the newer one first.
constexpr const char* kReasonFields[] = {"clocks_event_reasons.active",
                                         "clocks_throttle_reasons.active"};
constexpr size_t kFields = 9;
constexpr size_t kMostLineBytes = 512;

struct Reason {
  uint64_t bit;
  const char* name;
};
constexpr Reason kReasons[] = {
    {0x2, "applications_clocks_setting"},
    {0x4, "sw_power_cap"},
    {0x8, "hw_slowdown"},
    {0x10, "sync_boost"},
    {0x20, "sw_thermal_slowdown"},
    {0x40, "hw_thermal_slowdown"},
    {0x80, "hw_power_brake_slowdown"},
    {0x100, "display_clock_setting"},
};

std::optional<double> Number(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() ||
      !std::isfinite(value) || value < 0) {
    return std::nullopt;
  }
  return value;
}

std::optional<int64_t> Whole(std::string_view text, int64_t unit) {
  const auto value = Number(text);
  return value && *value < 1e12
             ? std::optional(static_cast<int64_t>(*value) * unit)
             : std::nullopt;
}

std::optional<uint64_t> Bits(std::string_view text) {
  uint64_t bits = 0;
  if (!text.starts_with("0x")) {
    return std::nullopt;
  }
  text.remove_prefix(2);
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  return error == std::errc() && end == text.data() + text.size()
             ? std::optional(bits)
             : std::nullopt;
}

}  // namespace

std::string ThrottleReasons(uint64_t bits) {
  std::vector<std::string> names;
  for (const Reason& reason : kReasons) {
    if ((bits & reason.bit) != 0) {
      names.emplace_back(reason.name);
    }
  }
  return Join(names, ",");
}

std::optional<results::GpuSample> ParseGpuLine(std::string_view line) {
  std::vector<std::string> fields = Split(line, ',');
  if (fields.size() != kFields) {
    return std::nullopt;
  }
  for (std::string& field : fields) {
    field = Trimmed(field);
  }
  const auto gpu = Whole(fields[0], 1);
  if (!gpu || *gpu > 1024) {
    return std::nullopt;
  }
  results::GpuSample sample;
  sample.gpu = static_cast<int>(*gpu);
  sample.util_pct = Number(fields[1]);
  sample.power_w = Number(fields[2]);
  sample.temp_c = Number(fields[3]);
  sample.sm_clock_mhz = Number(fields[4]);
  sample.mem_used_bytes = Whole(fields[5], int64_t{1} << 20);
  sample.power_cap_w = Number(fields[6]);
  sample.ecc_errors = Whole(fields[7], 1);
  sample.throttle_reasons = ThrottleReasons(Bits(fields[8]).value_or(0));
  return sample;
}

std::optional<std::vector<std::string>> GpuSampler::NextCommand() {
  if (tried_ == std::size(kReasonFields)) {
    return std::nullopt;
  }
  line_.clear();
  return std::vector<std::string>{
      "nvidia-smi",
      std::string("--query-gpu=index,utilization.gpu,power.draw,"
                  "temperature.gpu,clocks.sm,memory.used,power.limit,"
                  "ecc.errors.uncorrected.volatile.total,") +
          kReasonFields[tried_++],
      "--format=csv,noheader,nounits", "--loop=1"};
}

std::vector<results::GpuSample> GpuSampler::Feed(std::string_view bytes,
                                                 int64_t at_unix_ms) {
  std::vector<results::GpuSample> samples;
  for (size_t end; (end = bytes.find('\n')) != std::string_view::npos;
       bytes.remove_prefix(end + 1)) {
    Keep(bytes.substr(0, end));
    if (auto sample = ParseGpuLine(line_)) {
      sample->node_rank = node_rank_;
      sample->at_unix_ms = at_unix_ms;
      samples.push_back(*std::move(sample));
      answered_ = true;
    } else if (!Trimmed(line_).empty()) {
      last_words_ = Printable(line_);
    }
    line_.clear();
  }
  Keep(bytes);
  return samples;
}

void GpuSampler::Keep(std::string_view part) {
  line_ += part.substr(0, kMostLineBytes - line_.size());
}

}  // namespace zs
