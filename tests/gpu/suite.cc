#include "tests/gpu/suite.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "engine/cuda/check.h"
#include "tests/gpu/poison.h"

namespace zs::gpu {
namespace {

constexpr int64_t kGuardBytes = 1024;
constexpr uint8_t kPoison = 0xff;  // a NaN in bf16, fp32 and fp64

void DieUnlessOk(const Status& status) {
  if (!status.ok()) {
    std::fprintf(stderr, "cannot go on: %s\n", status.message().c_str());
    std::exit(3);
  }
}

struct Distance {
  double norm = 0;
  double element = 0;
  int64_t not_finite = 0;
  int64_t first = -1;  // of those that are not finite
  int64_t last = -1;
};

Distance DistanceOf(const std::vector<double>& out,
                    const std::vector<double>& reference) {
  double error = 0;
  double total = 0;
  Distance distance;
  for (size_t i = 0; i < out.size(); ++i) {
    if (!std::isfinite(out[i])) {
      ++distance.not_finite;
      distance.last = static_cast<int64_t>(i);
      distance.first = distance.first < 0 ? distance.last : distance.first;
      continue;
    }
    error += (out[i] - reference[i]) * (out[i] - reference[i]);
    total += reference[i] * reference[i];
  }
  const double rms = std::sqrt(total / std::max<size_t>(out.size(), 1));
  for (size_t i = 0; i < out.size(); ++i) {
    const double room = std::abs(reference[i]) + rms;
    const double off = std::abs(out[i] - reference[i]);
    if (off > 0 && room > 0) {
      distance.element = std::max(distance.element, off / room);
    }
  }
  distance.norm = error == 0 ? 0 : std::sqrt(error / total);
  return distance;
}

}  // namespace

float ToFloat(Bf16 x) {
  return std::bit_cast<float>(static_cast<uint32_t>(x.bits) << 16);
}

Bf16 ToBf16(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  return {static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}

Status Suite::Start() {
  ASSIGN_OR_RETURN(stream_, Stream::Create());
  return OkStatus();
}

bool Suite::Begin(const std::string& name) {
  CheckGuards();
  memory_.clear();
  name_ = name;
  return name.find(filter_) != std::string::npos;
}

std::vector<float> Suite::Noise(int64_t count, float scale) {
  std::normal_distribution<float> normal(0.0f, scale);
  std::vector<float> values(count);
  for (float& value : values) {
    value = ToFloat(ToBf16(normal(random_)));
  }
  return values;
}

std::vector<int32_t> Suite::Integers(int64_t count, int32_t below) {
  std::uniform_int_distribution<int32_t> uniform(0, below - 1);
  std::vector<int32_t> values(count);
  for (int32_t& value : values) {
    value = uniform(random_);
  }
  return values;
}

void* Suite::Allocate(int64_t bytes, const void* values) {
  Result<DeviceBuffer> buffer =
      DeviceBuffer::Create(bytes + kGuardBytes, "a test");
  DieUnlessOk(buffer.status());
  DieUnlessOk(
      ToStatus(cudaMemset(buffer->data(), kPoison, buffer->bytes()), "poison"));
  if (values != nullptr) {
    DieUnlessOk(ToStatus(
        cudaMemcpy(buffer->data(), values, bytes, cudaMemcpyHostToDevice),
        "upload"));
  }
  DieUnlessOk(LaunchPoison(nullptr));
  DieUnlessOk(ToStatus(cudaDeviceSynchronize(), "upload"));
  memory_.emplace_back(*std::move(buffer), bytes);
  return memory_.back().first.data();
}

Bf16* Suite::Upload(const std::vector<float>& values) {
  std::vector<Bf16> raw(values.size());
  std::transform(values.begin(), values.end(), raw.begin(), ToBf16);
  return static_cast<Bf16*>(Allocate(raw.size() * sizeof(Bf16), raw.data()));
}

float* Suite::UploadF32(const std::vector<float>& values) {
  return static_cast<float*>(
      Allocate(values.size() * sizeof(float), values.data()));
}

double* Suite::UploadF64(const std::vector<double>& values) {
  return static_cast<double*>(
      Allocate(values.size() * sizeof(double), values.data()));
}

int32_t* Suite::UploadInts(const std::vector<int32_t>& values) {
  return static_cast<int32_t*>(
      Allocate(values.size() * sizeof(int32_t), values.data()));
}

Bf16* Suite::Poisoned(int64_t count) {
  return static_cast<Bf16*>(Allocate(count * sizeof(Bf16), nullptr));
}

float* Suite::PoisonedF32(int64_t count) {
  return static_cast<float*>(Allocate(count * sizeof(float), nullptr));
}

double* Suite::PoisonedF64(int64_t count) {
  return static_cast<double*>(Allocate(count * sizeof(double), nullptr));
}

void* Suite::Scratch(int64_t bytes) {
  return Allocate(bytes, nullptr);
}

void Suite::ReadInto(const void* data, int64_t bytes, void* out) {
  DieUnlessOk(stream_.Wait().WithContext(name_));
  DieUnlessOk(
      ToStatus(cudaMemcpy(out, data, bytes, cudaMemcpyDeviceToHost), "read"));
}

std::vector<double> Suite::Read(const Bf16* data, int64_t count) {
  std::vector<Bf16> raw(count);
  ReadInto(data, count * sizeof(Bf16), raw.data());
  std::vector<double> values(count);
  std::transform(raw.begin(), raw.end(), values.begin(), ToFloat);
  return values;
}

std::vector<double> Suite::ReadF32(const float* data, int64_t count) {
  std::vector<float> raw(count);
  ReadInto(data, count * sizeof(float), raw.data());
  return {raw.begin(), raw.end()};
}

std::vector<double> Suite::ReadF64(const double* data, int64_t count) {
  std::vector<double> raw(count);
  ReadInto(data, count * sizeof(double), raw.data());
  return raw;
}

std::vector<uint8_t> Suite::ReadBytes(const void* data, int64_t bytes) {
  std::vector<uint8_t> raw(bytes);
  ReadInto(data, bytes, raw.data());
  return raw;
}

void Suite::CheckGuards() {
  for (const auto& [buffer, bytes] : memory_) {
    std::vector<uint8_t> guard(kGuardBytes);
    ReadInto(buffer.as<uint8_t>() + bytes, kGuardBytes, guard.data());
    const auto written =
        std::find_if(guard.begin(), guard.end(),
                     [](uint8_t byte) { return byte != kPoison; });
    if (written != guard.end()) {
      Note(false, "bounds",
           "byte " + std::to_string(written - guard.begin()) +
               " behind a buffer of " + std::to_string(bytes) +
               " bytes was written");
    }
  }
}

void Suite::Note(bool ok, const std::string& what, const std::string& detail) {
  (ok ? passed_ : failed_) += 1;
  if (!ok) {
    std::printf("FAILED %s: %s: %s\n", name_.c_str(), what.c_str(),
                detail.c_str());
    std::fflush(stdout);
  }
}

void Suite::Expect(const Status& status, const std::string& what) {
  Note(status.ok(), what, status.ToString());
  const Status ran = stream_.Wait();
  if (!ran.ok()) {
    Note(false, what, ran.ToString());
    DieUnlessOk(ran.WithContext(name_));
  }
}

void Suite::Compare(const std::string& what, const std::vector<double>& out,
                    const std::vector<double>& reference, Tolerance tolerance) {
  if (out.size() != reference.size()) {
    Note(false, what, "sizes differ");
    return;
  }
  const Distance d = DistanceOf(out, reference);
  const bool ok = d.not_finite == 0 && d.norm <= tolerance.norm &&
                  d.element <= tolerance.element;
  char detail[200];
  std::snprintf(detail, sizeof detail,
                "relative error %.3g (allowed %.3g), worst element %.3g "
                "(allowed %.3g), not finite: %lld of %zu, from %lld to %lld",
                d.norm, tolerance.norm, d.element, tolerance.element,
                static_cast<long long>(d.not_finite), out.size(),
                static_cast<long long>(d.first),
                static_cast<long long>(d.last));
  Note(ok, what, detail);
}

int Suite::Finish() {
  Begin("");
  std::printf("%d passed, %d failed\n", passed_, failed_);
  return failed_ == 0 && passed_ > 0 ? 0 : 1;
}

}  // namespace zs::gpu
