#include "runner/supervise/check_request.h"

#include <algorithm>
#include <set>
#include <string>

namespace zs {
namespace {

bool IsToken(const std::string& token) {
  return !token.empty() && token.size() <= 200 &&
         std::all_of(token.begin(), token.end(), [](unsigned char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

Status CheckRank(const NodeRequest& node, const RankRequest& rank) {
  const std::string where =
      "rank " + std::to_string(rank.rank) + " on " + node.name;
  if (rank.rank < 0) {
    return InvalidArgumentError(where + ": ranks count from 0");
  }
  if (rank.argv.empty() || rank.argv[0].empty()) {
    return InvalidArgumentError(where + ": argv is empty; name a program");
  }
  for (const std::string& entry : rank.env) {
    if (entry.find('=') == std::string::npos || entry[0] == '=') {
      return InvalidArgumentError(where + ": environment entry '" + entry +
                                  "'; NAME=value is needed");
    }
  }
  return OkStatus();
}

}  // namespace

Status CheckRequest(const RunRequest& request) {
  if (!IsToken(request.token)) {
    return InvalidArgumentError(
        "token '" + request.token +
        "': 1 to 200 letters, digits, '-' and '_' are allowed");
  }
  std::set<std::string> names;
  std::set<int> ranks;
  for (const NodeRequest& node : request.nodes) {
    if (!names.insert(node.name).second) {
      return InvalidArgumentError("node " + node.name + " is named twice");
    }
    for (const RankRequest& rank : node.ranks) {
      RETURN_IF_ERROR(CheckRank(node, rank));
      if (!ranks.insert(rank.rank).second) {
        return InvalidArgumentError("rank " + std::to_string(rank.rank) +
                                    " is placed twice, again on " + node.name);
      }
    }
  }
  if (ranks.empty()) {
    return InvalidArgumentError("the run has no rank");
  }
  return OkStatus();
}

}  // namespace zs
