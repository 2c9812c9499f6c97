#include "runner/backend/megatron/version.h"

#include <optional>
#include <tuple>

#include "re2/re2.h"

namespace zs {
namespace {

re2::StringPiece Piece(std::string_view text) {
  return {text.data(), text.size()};
}

std::optional<int> Assigned(std::string_view text, const char* name) {
  int value = 0;
  const std::string pattern =
      "(?m)^" + std::string(name) + R"(\s*=\s*(\d{1,6})\b)";
  return re2::RE2::PartialMatch(Piece(text), pattern, &value)
             ? std::optional(value)
             : std::nullopt;
}

// A flag and the first version that has it.
struct FlagSince {
  const char* flag;
  int minor;
};

// Newest first. Megatron-LM's tags, as its history shows them.
constexpr FlagSince kFlags[] = {
    {"--megatron-fsdp-version", 20},
    {"--outer-dp-sharding-strategy", 16},
    {"--disable-symmetric-registration", 15},
    {"--use-megatron-fsdp", 14},
    {"--torch-fsdp2-no-reshard-after-forward", 13},
    {"--data-parallel-sharding-strategy", 12},
    {"--use-precision-aware-optimizer", 11},
    {"--use-torch-fsdp2", 10},
    {"--ckpt-format", 9},
    {"--mock-data", 5},
    {"--use-distributed-optimizer", 4},
};

}  // namespace

std::strong_ordering operator<=>(const MegatronVersion& a,
                                 const MegatronVersion& b) {
  return std::tie(a.major, a.minor, a.patch) <=>
         std::tie(b.major, b.minor, b.patch);
}

bool operator==(const MegatronVersion& a, const MegatronVersion& b) {
  return (a <=> b) == std::strong_ordering::equal;
}

Result<MegatronVersion> VersionOfPackageInfo(std::string_view text) {
  const auto major = Assigned(text, "MAJOR");
  const auto minor = Assigned(text, "MINOR");
  if (!major.has_value() || !minor.has_value()) {
    return InvalidArgumentError(
        "megatron/core/package_info.py assigns no MAJOR and MINOR");
  }
  MegatronVersion version;
  version.major = *major;
  version.minor = *minor;
  version.patch = Assigned(text, "PATCH").value_or(0);
  std::string pre_release;
  re2::RE2::PartialMatch(Piece(text),
                         R"((?m)^PRE_RELEASE\s*=\s*['"]([\w.]{0,20})['"])",
                         &pre_release);
  version.text = std::to_string(version.major) + "." +
                 std::to_string(version.minor) + "." +
                 std::to_string(version.patch) + pre_release;
  return version;
}

Result<MegatronVersion> ParseMegatronVersion(std::string_view text) {
  MegatronVersion version;
  std::string rest;
  if (!re2::RE2::FullMatch(
          Piece(text),
          R"((?:core_)?[rv]?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?(\w*))",
          &version.major, &version.minor, &rest, &rest) &&
      text != "main") {
    return InvalidArgumentError("'" + std::string(text) +
                                "' is no version; allowed: '0.14.0', 'main'");
  }
  if (text == "main") {
    version.minor = kFlags[0].minor;
  }
  re2::RE2::PartialMatch(Piece(text), R"(\d+\.\d+\.(\d{1,6}))", &version.patch);
  version.text = text;
  return version;
}

Result<MegatronVersion> VersionOfHelp(std::string_view text) {
  for (const FlagSince& known : kFlags) {
    if (text.find(known.flag) != std::string_view::npos) {
      MegatronVersion version;
      version.minor = known.minor;
      version.text = "0." + std::to_string(known.minor) + " (by --help)";
      return version;
    }
  }
  return InvalidArgumentError("its --help names no flag of Megatron-LM");
}

}  // namespace zs
