#include "results/report/json_difference.h"

#include <map>
#include <set>
#include <utility>

namespace zs::results {
namespace {

using Leaves = std::map<std::string, std::string>;

// NOLINTNEXTLINE(misc-no-recursion): ParseJson bounds the depth.
void CollectLeaves(const Json& value, const std::string& path, Leaves& leaves) {
  if (!value.is_object() || value.empty()) {
    leaves[path] = DumpJson(value);
    return;
  }
  for (const auto& [name, member] : value.items()) {
    CollectLeaves(member, path.empty() ? name : path + "." + name, leaves);
  }
}

std::string TextAt(const Leaves& leaves, const std::string& path) {
  const auto found = leaves.find(path);
  return found == leaves.end() ? "absent" : found->second;
}

}  // namespace

std::vector<JsonDifference> DifferencesOf(const Json& left, const Json& right) {
  Leaves leaves[2];
  CollectLeaves(left, "", leaves[0]);
  CollectLeaves(right, "", leaves[1]);
  std::set<std::string> paths;
  for (const Leaves& side : leaves) {
    for (const auto& [path, text] : side) {
      paths.insert(path);
    }
  }
  std::vector<JsonDifference> differences;
  for (const std::string& path : paths) {
    JsonDifference d{path, TextAt(leaves[0], path), TextAt(leaves[1], path)};
    if (d.left != d.right) {
      differences.push_back(std::move(d));
    }
  }
  return differences;
}

}  // namespace zs::results
