// Any bytes as text of a log: lines are the same however the bytes are cut,
// quotes are valid and short, prefixes lie within the line, and the environment
// in front of a command is what lint can read.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "runner/observe/env/lint.h"
#include "runner/observe/text/lines.h"
#include "runner/observe/text/prefix.h"

namespace {

void Check(bool holds) {
  if (!holds) {
    std::abort();
  }
}

// All that comes out of TEXT, fed in pieces of PIECE bytes.
std::string Assembled(std::string_view text, size_t piece) {
  std::string out;
  zs::LineAssembler lines([&out](std::string_view block) { out += block; });
  for (size_t at = 0; at < text.size(); at += piece) {
    lines.Feed(text.substr(at, piece));
  }
  lines.Finish();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Check(Assembled(text, size + 1) == Assembled(text, 1 + size / 7));
  std::string buffer;
  const std::string_view clean = zs::WithoutControls(text, buffer);
  for (const char byte : clean) {
    Check(static_cast<unsigned char>(byte) >= 0x20 || byte == '\t');
  }
  Check(zs::Quotable(text, 100).size() <= 110);
  Check(zs::ParsePrefix(clean).length <= clean.size());
  zs::RankIn(clean);
  zs::TimeIn(clean);
  const zs::Environment environment = zs::EnvironmentIn(text);
  zs::LintEnvironment(environment, {.nccl_version = "2.28.9",
                                    .interfaces = {"eth0"},
                                    .hcas = {"mlx5_0"},
                                    .nodes = 2});
  return 0;
}
