#include "runner/observe/diagnose/log_joining.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "runner/observe/text/cursor.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

// Communicators are made at the start; more groups than this are no nodes.
constexpr size_t kStartBytes = size_t{1} << 20;
constexpr size_t kMaxGroups = 512;
constexpr size_t kMaxIds = 64;

std::set<std::string> CommunicatorsIn(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    return {};  // reading a pipe would take its bytes away
  }
  std::string start(kStartBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(
      static_cast<size_t>(std::max<std::streamsize>(0, file.gcount())));
  std::set<std::string> ids;
  Cursor cursor(start);
  while (ids.size() < kMaxIds && cursor.TakeThrough(" commId 0x")) {
    const std::string_view id = cursor.rest().substr(0, 32);
    const size_t end = id.find_first_not_of("0123456789abcdef");
    if (end >= 8 && end != std::string_view::npos) {
      ids.emplace(id.substr(0, end));
    }
  }
  return ids;
}

std::string FolderOf(const LogGroup& group) {
  return fs::path(group.sources.front().path).parent_path().string();
}

}  // namespace

void JoinByCommunicator(std::vector<LogGroup>& groups) {
  if (groups.size() < 2 || groups.size() > kMaxGroups) {
    return;
  }
  std::map<std::pair<std::string, std::string>, size_t> owners;
  std::vector<LogGroup> joined;
  for (LogGroup& group : groups) {
    const std::string folder = FolderOf(group);
    const std::set<std::string> ids =
        CommunicatorsIn(group.sources.front().path);
    size_t place = joined.size();
    for (const std::string& id : ids) {
      const auto owner = owners.find({folder, id});
      place = owner != owners.end() ? owner->second : place;
    }
    for (const std::string& id : ids) {
      owners.emplace(std::make_pair(folder, id), place);
    }
    if (place == joined.size()) {
      joined.push_back(std::move(group));
      continue;
    }
    joined[place].name = folder + "/";
    std::move(group.sources.begin(), group.sources.end(),
              std::back_inserter(joined[place].sources));
  }
  groups = std::move(joined);
}

}  // namespace zs
