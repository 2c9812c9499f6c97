#include "runner/reach/node_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "base/hash.h"
#include "runner/reach/ask.h"

namespace zs {
namespace {

namespace fs = std::filesystem;

// Fits into a frame with room to spare.
constexpr int64_t kChunkBytes = int64_t{1} << 20;
constexpr size_t kHashDigits = 32;
constexpr int64_t kSmallBytes = int64_t{64} << 10;

Result<FileSet> SetOf(const std::vector<std::string>& paths) {
  FileSet set;
  std::string content;
  for (const std::string& path : paths) {
    NodeFile file;
    file.path = path;
    file.name = fs::path(path).filename().string();
    ASSIGN_OR_RETURN(file.bytes, FileSizeBytes(path));
    ASSIGN_OR_RETURN(file.sha256, Sha256HexOfFile(path));
    content += file.name + "\n" + file.sha256 + "\n";
    set.files.push_back(std::move(file));
  }
  set.hash = Sha256Hex(content).substr(0, kHashDigits);
  return set;
}

// Asks QUERIES, in their order, of all TARGETS at once; the answers, those of a
// target beside each other.
Result<std::vector<std::string>> AskTargets(
    const std::vector<FileTarget>& targets,
    const std::vector<QueryMsg>& queries, int64_t timeout_ms) {
  std::vector<Question> questions;
  for (const FileTarget& target : targets) {
    for (const QueryMsg& query : queries) {
      Question question;
      question.connection = target.connection;
      question.query = query;
      questions.push_back(std::move(question));
    }
  }
  AskAll(questions, timeout_ms);
  std::vector<std::string> answers;
  for (size_t i = 0; i < questions.size(); ++i) {
    if (!questions[i].answer.ok()) {
      return questions[i].answer.status().WithContext(
          "node " + targets[i / queries.size()].node);
    }
    answers.push_back(*std::move(questions[i].answer));
  }
  return answers;
}

// OFFSET and what follows of the file at PATH.
Result<std::string> ReadChunk(const std::string& path, int64_t offset,
                              int64_t bytes) {
  std::ifstream in(path, std::ios::binary);
  std::string chunk(static_cast<size_t>(bytes), '\0');
  in.seekg(offset);
  if (!in.read(chunk.data(), bytes)) {
    return DataLossError(path + ": it has become shorter");
  }
  return chunk;
}

// Puts FILE on TARGETS; what fits into one part needs a single round.
Result<std::vector<std::string>> Send(const std::string& folder,
                                      const NodeFile& file,
                                      const std::vector<FileTarget>& targets,
                                      int64_t timeout_ms) {
  const QueryMsg keep{0, "keep", {folder, file.name, file.sha256}};
  int64_t offset = 0;
  for (;;) {
    const int64_t bytes = std::min(kChunkBytes, file.bytes - offset);
    ASSIGN_OR_RETURN(std::string chunk, ReadChunk(file.path, offset, bytes));
    std::vector<QueryMsg> queries = {
        {0,
         "put",
         {folder, file.name, std::to_string(offset), std::move(chunk)}}};
    offset += bytes;
    const bool last = offset >= file.bytes;
    if (last) {
      queries.push_back(keep);
    }
    ASSIGN_OR_RETURN(const std::vector<std::string> answers,
                     AskTargets(targets, queries, timeout_ms));
    if (last) {
      std::vector<std::string> paths;
      for (size_t i = 1; i < answers.size(); i += 2) {
        paths.push_back(answers[i]);
      }
      return paths;
    }
  }
}

// The path in an answer to "stored".
std::string PathIn(std::string_view answer) {
  constexpr std::string_view kPath = "path ";
  return std::string(
      answer.substr(kPath.size(), answer.find('\n') - kPath.size()));
}

}  // namespace

Result<FileSet> ProgramFiles(const std::string& program) {
  std::vector<std::string> paths = {program};
  std::error_code error;
  for (const auto& entry :
       fs::directory_iterator(fs::path(program).parent_path(), error)) {
    if (entry.path().extension() == ".so") {
      paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin() + 1, paths.end());
  return SetOf(paths);
}

Result<FileSet> OneFile(const std::string& path) {
  return SetOf({path});
}

Result<std::vector<std::string>> PutOnNodes(
    const FileSet& files, const std::vector<FileTarget>& targets,
    int64_t timeout_ms) {
  const auto context = [](const Status& status, const NodeFile& file) {
    return status.WithContext("put " + file.path + " on the nodes");
  };
  const NodeFile& first = files.files.front();
  if (files.files.size() == 1 && first.bytes <= kSmallBytes) {
    // Asking for it would take as long as putting it there.
    auto paths = Send(files.hash, first, targets, timeout_ms);
    return paths.ok() ? paths
                      : Result<std::vector<std::string>>(
                            context(paths.status(), first));
  }
  std::vector<QueryMsg> queries;
  for (const NodeFile& file : files.files) {
    queries.push_back({0, "stored", {files.hash, file.name}});
  }
  const auto found = AskTargets(targets, queries, timeout_ms);
  if (!found.ok()) {
    return context(found.status(), first);
  }
  for (size_t f = 0; f < files.files.size(); ++f) {
    const NodeFile& file = files.files[f];
    std::vector<FileTarget> without;
    for (size_t i = 0; i < targets.size(); ++i) {
      const std::string& answer = (*found)[i * files.files.size() + f];
      if (!answer.ends_with("\nsha256 " + file.sha256 + "\n")) {
        without.push_back(targets[i]);
      }
    }
    if (without.empty()) {
      continue;
    }
    const auto sent = Send(files.hash, file, without, timeout_ms);
    if (!sent.ok()) {
      return context(sent.status(), file);
    }
  }
  std::vector<std::string> paths;
  for (size_t i = 0; i < targets.size(); ++i) {
    paths.push_back(PathIn((*found)[i * files.files.size()]));
  }
  return paths;
}

}  // namespace zs
