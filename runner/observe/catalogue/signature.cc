#include "runner/observe/catalogue/signature.h"

#include <algorithm>
#include <vector>

#include "runner/observe/catalogue/tables.h"

namespace zs {
namespace {

struct Catalogue {
  std::vector<Signature> signatures;
  std::vector<Expression> expressions;
};

Catalogue Collect() {
  Catalogue all;
  for (const CatalogueTable& table :
       {LaunchTable(), RendezvousTable(), NcclTable(), InfinibandTable(),
        GpuTable(), TorchTable(), TrainingTable()}) {
    all.signatures.insert(all.signatures.end(), table.signatures.begin(),
                          table.signatures.end());
    all.expressions.insert(all.expressions.end(), table.expressions.begin(),
                           table.expressions.end());
  }
  std::sort(
      all.signatures.begin(), all.signatures.end(),
      [](const Signature& a, const Signature& b) { return a.code < b.code; });
  return all;
}

const Catalogue& All() {
  static const Catalogue* const all = new Catalogue(Collect());
  return *all;
}

}  // namespace

std::span<const Signature> Signatures() {
  return All().signatures;
}

std::span<const Expression> Expressions() {
  return All().expressions;
}

int SignatureIndex(std::string_view code) {
  const std::vector<Signature>& all = All().signatures;
  const auto it = std::lower_bound(
      all.begin(), all.end(), code,
      [](const Signature& a, std::string_view b) { return a.code < b; });
  return it != all.end() && it->code == code
             ? static_cast<int>(it - all.begin())
             : -1;
}

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "error";
}

std::string_view ConfidenceName(Confidence confidence) {
  switch (confidence) {
    case Confidence::kLow:
      return "low";
    case Confidence::kMedium:
      return "medium";
    case Confidence::kHigh:
      return "high";
  }
  return "low";
}

}  // namespace zs
