// Which Megatron-LM a tree is.
#ifndef RUNNER_BACKEND_MEGATRON_VERSION_H_
#define RUNNER_BACKEND_MEGATRON_VERSION_H_

#include <compare>
#include <string>
#include <string_view>

#include "base/status.h"

namespace zs {

// Megatron Core's version, by which the trees are told apart.
struct MegatronVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;
  std::string text;  // "0.14.0", "0.20.0rc0"; "0.14 (by --help)"

  // By number alone.
  friend std::strong_ordering operator<=>(const MegatronVersion& a,
                                          const MegatronVersion& b);
  friend bool operator==(const MegatronVersion& a, const MegatronVersion& b);
};

// Of the text of megatron/core/package_info.py (MAJOR, MINOR, PATCH and
// PRE_RELEASE are assigned there), or of "0.14.0" alone. kInvalidArgument names
// what is missing.
Result<MegatronVersion> VersionOfPackageInfo(std::string_view text);
Result<MegatronVersion> ParseMegatronVersion(std::string_view text);

// Of what `pretrain_gpt.py --help` prints: the oldest version that has the
// newest flag found in it. kInvalidArgument where TEXT is no help of Megatron.
Result<MegatronVersion> VersionOfHelp(std::string_view text);

}  // namespace zs

#endif  // RUNNER_BACKEND_MEGATRON_VERSION_H_
