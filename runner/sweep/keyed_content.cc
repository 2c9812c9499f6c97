#include "runner/sweep/keyed_content.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/spawn.h"
#include "runner/plan/fingerprint.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

// What of a tree is its source: logs, caches and what is compiled on the way
// lie there, too.
constexpr std::string_view kSources[] = {
    ".py",   ".sh",  ".c",    ".cc",  ".cpp",  ".cu",
    ".cuh",  ".h",   ".hpp",  ".pyx", ".toml", ".cfg",
    ".yaml", ".yml", ".json", ".txt", ".ini",  ".jinja"};
constexpr std::string_view kBuildFiles[] = {"Makefile", "CMakeLists.txt"};
constexpr std::string_view kNotSource[] = {"__pycache__", "build", "logs"};

// File systems take the time of a change from the kernel's tick, at most 10 ms.
constexpr int64_t kTickNs = 50'000'000;

template <typename List>
bool IsIn(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool IsSource(const fs::path& path) {
  return IsIn(kSources, path.extension().string()) ||
         IsIn(kBuildFiles, path.filename().string());
}

// The folders (first) and sources below ROOT, each sorted.
struct TreeFiles {
  std::vector<std::string> folders;
  std::vector<std::string> sources;
};

TreeFiles FilesBelow(const std::string& root) {
  TreeFiles files;
  std::error_code error;
  auto at = fs::recursive_directory_iterator(
      root, fs::directory_options::skip_permission_denied, error);
  if (error) {
    return files;
  }
  files.folders.push_back(root);
  for (; at != fs::recursive_directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code gone;
    if (at->is_directory(gone)) {
      if (name.starts_with('.') || IsIn(kNotSource, name)) {
        at.disable_recursion_pending();
      } else {
        files.folders.push_back(at->path().string());
      }
    } else if (IsSource(at->path()) && at->is_regular_file(gone)) {
      files.sources.push_back(at->path().string());
    }
  }
  std::sort(files.folders.begin(), files.folders.end());
  std::sort(files.sources.begin(), files.sources.end());
  return files;
}

std::shared_ptr<const FileStamps> Stamped(
    const std::vector<std::string>& paths) {
  const int64_t youngest_ns = RealClock().unix_ms() * 1'000'000 - kTickNs;
  FileStamps stamps;
  for (const std::string& path : paths) {
    stamps.push_back(StampOf(path));
    if (stamps.back().changed_ns > youngest_ns) {
      stamps.back().changed_ns = -1;
    }
  }
  return std::make_shared<const FileStamps>(std::move(stamps));
}

// The words by which an experiment is started: the program, then the others.
std::vector<std::string> WordsOf(const Experiment& experiment) {
  std::vector<std::string> words;
  if (experiment.command) {
    if (experiment.command->torchrun) {
      words.emplace_back("torchrun");
    }
    words.insert(words.end(), experiment.command->argv.begin(),
                 experiment.command->argv.end());
    return words;
  }
  const MegatronSpec& megatron = *experiment.megatron;
  words.emplace_back("torchrun");
  words.insert(words.end(), megatron.args.begin(), megatron.args.end());
  words.push_back(megatron.script);
  words.push_back(megatron.tokenizer);
  return words;
}

// Where the program WORD is found; WORD itself where it is not.
std::string ProgramPath(const Experiment& experiment, const std::string& word,
                        const std::string& folder) {
  std::vector<std::string> set;
  const auto path = experiment.env.find("PATH");
  if (path != experiment.env.end()) {
    set.push_back("PATH=" + path->second);
  }
  const auto found =
      FindProgram(word, MergeEnvironment(OwnEnvironment(), set), folder);
  return found.ok() ? *found : word;
}

}  // namespace

FileStamp StampOf(const std::string& path) {
  constexpr int64_t kNs = 1'000'000'000;
  FileStamp stamp{.path = path};
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    stamp.bytes = status.st_size;
    stamp.inode = status.st_ino;
    stamp.changed_ns = status.st_ctim.tv_sec * kNs + status.st_ctim.tv_nsec;
  }
  return stamp;
}

std::string FirstTouched(
    const std::vector<std::shared_ptr<const FileStamps>>& files) {
  for (const auto& stamps : files) {
    for (const FileStamp& stamp : *stamps) {
      if (StampOf(stamp.path) != stamp) {
        return stamp.path;
      }
    }
  }
  return "";
}

Result<const KeyedContent*> ContentReader::File(const std::string& path) {
  const auto [at, fresh] = files_.try_emplace(path);
  if (fresh) {
    at->second.files = {Stamped({path})};
    auto content = FileContent(path);
    if (!content.ok()) {
      files_.erase(at);
      return content.status();
    }
    at->second.text = *std::move(content);
  }
  return &at->second;
}

Result<const KeyedContent*> ContentReader::Tree(const std::string& root) {
  const auto [at, fresh] = trees_.try_emplace(root);
  if (!fresh) {
    return &at->second;
  }
  const TreeFiles files = FilesBelow(root);
  at->second.files = {Stamped(files.folders), Stamped(files.sources)};
  Sha256 sha;
  for (const std::string& source : files.sources) {
    auto content = FileContent(source);
    if (!content.ok()) {
      trees_.erase(at);
      return content.status();
    }
    sha.Update(fs::path(source).lexically_relative(root).string() + "\n" +
               *content + "\n");
  }
  at->second.text = files.sources.empty() ? "" : sha.HexDigest();
  return &at->second;
}

Result<KeyedContent> ContentReader::Program(const Experiment& experiment) {
  const std::string folder =
      experiment.command ? experiment.command->cwd : experiment.megatron->root;
  std::vector<std::string> words = WordsOf(experiment);
  words.front() = ProgramPath(experiment, words.front(), folder);
  Json parts = Json::object();
  KeyedContent all;
  const auto add = [&](const std::string& name, const KeyedContent& content) {
    all.files.insert(all.files.end(), content.files.begin(),
                     content.files.end());
    if (!content.text.empty()) {
      auto json = ParseJson(content.text);
      parts[name] = json.ok() ? *std::move(json) : Json(content.text);
    }
  };
  for (size_t i = 0; i < words.size(); ++i) {
    std::error_code error;
    const fs::path path = fs::path(folder) / words[i];
    if (words[i].empty() || !fs::exists(path, error)) {
      continue;
    }
    const std::string name = i == 0 ? "program" : "word " + std::to_string(i);
    if (fs::is_regular_file(path, error)) {
      ASSIGN_OR_RETURN(const KeyedContent* const file, File(path.string()));
      add(name, *file);
    } else if (experiment.megatron &&
               words[i] == experiment.megatron->tokenizer) {
      ASSIGN_OR_RETURN(const KeyedContent* const tree, Tree(path.string()));
      add(name, *tree);
    }
  }
  if (experiment.megatron) {
    ASSIGN_OR_RETURN(const KeyedContent* const tree, Tree(folder));
    add("tree", *tree);
  }
  all.text = parts.empty() ? "" : DumpJson(parts);
  return all;
}

Result<KeyedContent> ContentReader::Data(const DataConfig& data) {
  const auto [at, fresh] = data_.try_emplace(DumpJson(ToJson(data)));
  if (fresh) {
    at->second.files = {Stamped(DataFiles(data))};
    auto fingerprint = DataFingerprint(data);
    if (!fingerprint.ok()) {
      data_.erase(at);
      return fingerprint.status();
    }
    at->second.text = *std::move(fingerprint);
  }
  return at->second;
}

}  // namespace zs
