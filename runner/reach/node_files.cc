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

// Asks the same of all TARGETS; the answers in order.
Result<std::vector<std::string>> AskTargets(
    const std::vector<FileTarget>& targets, const QueryMsg& query,
    int64_t timeout_ms) {
  std::vector<Question> questions;
  for (const FileTarget& target : targets) {
    Question question;
    question.connection = target.connection;
    question.query = query;
    questions.push_back(std::move(question));
  }
  AskAll(questions, timeout_ms);
  std::vector<std::string> answers;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (!questions[i].answer.ok()) {
      return questions[i].answer.status().WithContext("node " +
                                                      targets[i].node);
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

Status Send(const std::string& folder, const NodeFile& file,
            const std::vector<FileTarget>& targets, int64_t timeout_ms) {
  int64_t offset = 0;
  do {
    const int64_t bytes = std::min(kChunkBytes, file.bytes - offset);
    ASSIGN_OR_RETURN(std::string chunk, ReadChunk(file.path, offset, bytes));
    const auto put = AskTargets(
        targets,
        {0,
         "put",
         {folder, file.name, std::to_string(offset), std::move(chunk)}},
        timeout_ms);
    if (!put.ok()) {
      return put.status();
    }
    offset += bytes;
  } while (offset < file.bytes);
  const auto kept = AskTargets(
      targets, {0, "keep", {folder, file.name, file.sha256}}, timeout_ms);
  return kept.status();
}

// The path in an answer to "stored".
std::string PathIn(std::string_view answer) {
  constexpr std::string_view kPath = "path ";
  return std::string(
      answer.substr(kPath.size(), answer.find('\n') - kPath.size()));
}

// Puts FILE where it is missing; its path on each target.
Result<std::vector<std::string>> PutFile(const std::string& folder,
                                         const NodeFile& file,
                                         const std::vector<FileTarget>& targets,
                                         int64_t timeout_ms) {
  ASSIGN_OR_RETURN(
      const std::vector<std::string> found,
      AskTargets(targets, {0, "stored", {folder, file.name}}, timeout_ms));
  std::vector<FileTarget> without;
  std::vector<std::string> paths;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (!found[i].ends_with("\nsha256 " + file.sha256 + "\n")) {
      without.push_back(targets[i]);
    }
    paths.push_back(PathIn(found[i]));
  }
  if (!without.empty()) {
    RETURN_IF_ERROR(Send(folder, file, without, timeout_ms));
  }
  return paths;
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
  std::vector<std::string> paths;
  for (const NodeFile& file : files.files) {
    auto on_nodes = PutFile(files.hash, file, targets, timeout_ms);
    if (!on_nodes.ok()) {
      return on_nodes.status().WithContext("put " + file.path +
                                           " on the nodes");
    }
    if (paths.empty()) {
      paths = *std::move(on_nodes);
    }
  }
  return paths;
}

}  // namespace zs
