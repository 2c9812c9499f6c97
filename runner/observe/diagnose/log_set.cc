#include "runner/observe/diagnose/log_set.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <tuple>

#include "re2/re2.h"
#include "runner/observe/diagnose/log_joining.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFiles = 10'000;

constexpr std::array kNotLogs = {".pickle", ".pkl",  ".pt",   ".bin", ".idx",
                                 ".npy",    ".json", ".yaml", ".yml", ".db",
                                 ".sqlite", ".md",   ".png",  ".py",  ".sh",
                                 ".pid",    ".csv",  ".html"};

bool LooksLikeLog(const fs::path& path) {
  const std::string extension = path.extension().string();
  const std::string name = path.filename().string();
  return name[0] != '.' && std::find(kNotLogs.begin(), kNotLogs.end(),
                                     extension) == kNotLogs.end();
}

// "node12" sorts behind "node2".
std::tuple<int, int, std::string> OrderOf(const LogSource& source) {
  int number = 0;
  for (const char c : source.node) {
    if (c >= '0' && c <= '9' && number < 1'000'000) {
      number = number * 10 + (c - '0');
    }
  }
  return {number, source.rank, source.path};
}

Status Collect(const std::string& path, std::vector<std::string>& files) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (path == "-" || fs::is_regular_file(status) || fs::is_fifo(status)) {
    files.push_back(path);
    return OkStatus();
  }
  if (!fs::exists(status)) {
    return NotFoundError(path + ": no such file or folder");
  }
  if (!fs::is_directory(status)) {
    return FailedPreconditionError(path + ": neither a file nor a folder");
  }
  auto it = fs::recursive_directory_iterator(
      path, fs::directory_options::skip_permission_denied, error);
  for (; !error && it != fs::recursive_directory_iterator();
       it.increment(error)) {
    std::error_code kind;
    if (it->is_regular_file(kind) && LooksLikeLog(it->path()) &&
        files.size() < kMaxFiles) {
      files.push_back(it->path().string());
    }
  }
  return error ? UnavailableError(path + ": " + error.message()) : OkStatus();
}

// PATTERN as a shell would expand it, for where none did.
std::vector<std::string> Expanded(const std::string& pattern) {
  glob_t found{};
  const int result = ::glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<std::string> paths;
  for (size_t i = 0; result == 0 && i < found.gl_pathc; ++i) {
    paths.emplace_back(found.gl_pathv[i]);
  }
  globfree(&found);
  return paths;
}

Status CollectAll(const std::vector<std::string>& paths,
                  std::vector<std::string>& files) {
  for (const std::string& path : paths) {
    std::error_code error;
    const bool pattern = path.find_first_of("*?[") != std::string::npos &&
                         !fs::exists(path, error);
    const std::vector<std::string> names =
        pattern ? Expanded(path) : std::vector<std::string>{path};
    if (names.empty()) {
      return NotFoundError(path + ": no file fits this pattern");
    }
    for (const std::string& name : names) {
      RETURN_IF_ERROR(Collect(name, files));
    }
  }
  return OkStatus();
}

// A run of ours keeps what its ranks wrote twice: rank<k>.log, and node<k>.log
// with all ranks of a node. Leaves the former.
void LeaveOutNodeLogs(std::vector<std::string>& files) {
  static const re2::RE2 kRankLog(R"((.*/)rank\d+\.log)");
  static const re2::RE2 kNodeLog(R"((.*/)node\d+\.log(?:\.zst)?)");
  std::set<std::string> folders;
  std::string folder;
  for (const std::string& file : files) {
    if (re2::RE2::FullMatch(file, kRankLog, &folder)) {
      folders.insert(folder);
    }
  }
  std::erase_if(files, [&](const std::string& file) {
    return re2::RE2::FullMatch(file, kNodeLog, &folder) &&
           folders.contains(folder);
  });
}

}  // namespace

LogSource SourceFromPath(const std::string& path, std::string& group) {
  static const re2::RE2 kNodeSuffix(
      R"((.*?)[._-]?(node[_-]?\d+)((?:\.[a-z]+)*))");
  static const re2::RE2 kHostFolder(
      R"((?:.*/)?(node[_-]?\d+|[a-z]+\d{2,5})/[^/]*)");
  static const re2::RE2 kRank(R"((.*?)[._-]?rank[_-]?(\d+)((?:\.[a-z]+)*))");
  static const re2::RE2 kTorchrun(R"((.*)/attempt_\d+/(\d+)/[^/]*)");
  static const re2::RE2 kHostName(R"(([a-z]{1,12}\d{2,5})((?:\.[a-z]+)*))");
  LogSource source;
  source.path = path;
  const fs::path whole(path);
  const std::string folder = whole.parent_path().string();
  std::string name = whole.filename().string();
  std::string rest;
  std::string tail;
  std::string number;
  group = path;
  if (re2::RE2::FullMatch(path, kTorchrun, &rest, &number)) {
    source.rank = std::stoi(number.substr(0, 6));
    group = rest;
    return source;
  }
  if (re2::RE2::FullMatch(name, kRank, &rest, &number, &tail)) {
    source.rank = std::stoi(number.substr(0, 6));
    name = rest;
    group = folder + "/" + rest;
  }
  if (re2::RE2::FullMatch(name, kNodeSuffix, &rest, &source.node, &tail)) {
    group = folder + "/" + rest;
  } else if (re2::RE2::FullMatch(path, kHostFolder, &source.node)) {
    group = whole.parent_path().parent_path().string() + "/";
  } else if (re2::RE2::FullMatch(name, kHostName, &source.node, &tail)) {
    group = folder + "/";
  }
  return source;
}

Result<std::vector<LogGroup>> FindLogs(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  RETURN_IF_ERROR(CollectAll(paths, files));
  LeaveOutNodeLogs(files);
  if (files.empty()) {
    return InvalidArgumentError(
        "no log found: name files, or folders that hold some");
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  std::map<std::string, LogGroup> groups;
  for (const std::string& file : files) {
    std::string key;
    LogSource source = SourceFromPath(file, key);
    LogGroup& group = groups[key];
    group.name = key;
    group.sources.push_back(std::move(source));
  }
  std::vector<LogGroup> all;
  for (auto& [key, group] : groups) {
    std::sort(group.sources.begin(), group.sources.end(),
              [](const LogSource& a, const LogSource& b) {
                return OrderOf(a) < OrderOf(b);
              });
    all.push_back(std::move(group));
  }
  JoinByCommunicator(all);
  return all;
}

}  // namespace zs
