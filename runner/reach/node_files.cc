#include "runner/reach/node_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

namespace zs {
namespace {

// Fits into a frame with room to spare.
constexpr int64_t kChunkBytes = int64_t{1} << 20;
constexpr int64_t kSmallBytes = int64_t{64} << 10;

// Asks QUERIES, in their order, of all TARGETS at once, and ALSO; the answers,
// those of a target beside each other.
Result<std::vector<std::string>> AskTargets(
    const std::vector<FileTarget>& targets,
    const std::vector<QueryMsg>& queries, int64_t timeout_ms,
    std::vector<Question>& also) {
  std::vector<Question> questions;
  for (const FileTarget& target : targets) {
    for (const QueryMsg& query : queries) {
      Question question;
      question.connection = target.connection;
      question.query = query;
      questions.push_back(std::move(question));
    }
  }
  const size_t own = questions.size();
  std::move(also.begin(), also.end(), std::back_inserter(questions));
  AskAll(questions, timeout_ms);
  std::move(questions.begin() + static_cast<std::ptrdiff_t>(own),
            questions.end(), also.begin());
  std::vector<std::string> answers;
  for (size_t i = 0; i < own; ++i) {
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

// Asking for it would take as long as putting it there.
bool IsSmall(const FileSet& files) {
  return files.files.size() == 1 && files.files.front().bytes <= kSmallBytes;
}

QueryMsg PutQuery(const std::string& folder, const NodeFile& file,
                  int64_t offset, std::string chunk) {
  return {
      0, "put", {folder, file.name, std::to_string(offset), std::move(chunk)}};
}

QueryMsg KeepQuery(const std::string& folder, const NodeFile& file) {
  return {0, "keep", {folder, file.name, file.sha256}};
}

// Puts FILE on TARGETS, part by part.
Status Send(const std::string& folder, const NodeFile& file,
            const std::vector<FileTarget>& targets, int64_t timeout_ms) {
  std::vector<Question> nothing_else;
  for (int64_t offset = 0; offset < std::max<int64_t>(file.bytes, 1);
       offset += kChunkBytes) {
    const int64_t bytes = std::min(kChunkBytes, file.bytes - offset);
    ASSIGN_OR_RETURN(std::string chunk, ReadChunk(file.path, offset, bytes));
    std::vector<QueryMsg> queries = {
        PutQuery(folder, file, offset, std::move(chunk))};
    if (offset + bytes >= file.bytes) {
      queries.push_back(KeepQuery(folder, file));
    }
    const auto sent = AskTargets(targets, queries, timeout_ms, nothing_else);
    if (!sent.ok()) {
      return sent.status();
    }
  }
  return OkStatus();
}

// The path in an answer to "stored".
std::string PathIn(std::string_view answer) {
  constexpr std::string_view kPath = "path ";
  return std::string(
      answer.substr(kPath.size(), answer.find('\n') - kPath.size()));
}

Status InContext(const Status& status, const std::string& path) {
  return status.WithContext("put " + path + " on the nodes");
}

// Appends what the first round asks of each target for FILES.
Status PlanFirst(const FileSet& files, std::vector<QueryMsg>& queries) {
  const NodeFile& first = files.files.front();
  if (IsSmall(files)) {
    auto content = ReadChunk(first.path, 0, first.bytes);
    if (!content.ok()) {
      return InContext(content.status(), first.path);
    }
    queries.push_back(PutQuery(files.hash, first, 0, *std::move(content)));
    queries.push_back(KeepQuery(files.hash, first));
    return OkStatus();
  }
  for (const NodeFile& file : files.files) {
    queries.push_back({0, "stored", {files.hash, file.name}});
  }
  return OkStatus();
}

// Sends what is not there by the ANSWERS of the first round: ANSWER gives that
// of a target to a question about FILES. The paths of the first file.
template <typename Answer>
Result<std::vector<std::string>> SendMissing(
    const FileSet& files, const std::vector<FileTarget>& targets,
    int64_t timeout_ms, Answer answer) {
  std::vector<std::string> paths;
  for (size_t i = 0; i < targets.size(); ++i) {
    paths.push_back(IsSmall(files) ? answer(i, 1) : PathIn(answer(i, 0)));
  }
  for (size_t f = 0; f < files.files.size() && !IsSmall(files); ++f) {
    const NodeFile& file = files.files[f];
    std::vector<FileTarget> without;
    for (size_t i = 0; i < targets.size(); ++i) {
      if (!answer(i, f).ends_with("\nsha256 " + file.sha256 + "\n")) {
        without.push_back(targets[i]);
      }
    }
    if (without.empty()) {
      continue;
    }
    if (const Status sent = Send(files.hash, file, without, timeout_ms);
        !sent.ok()) {
      return InContext(sent, file.path);
    }
  }
  return paths;
}

}  // namespace

Result<std::vector<std::string>> PutOnNodes(
    const FileSet& files, const std::vector<FileTarget>& targets,
    int64_t timeout_ms) {
  std::vector<Question> nothing_else;
  ASSIGN_OR_RETURN(auto paths, PutOnNodes(std::vector<FileSet>{files}, targets,
                                          timeout_ms, nothing_else));
  return std::move(paths.front());
}

Result<std::vector<std::vector<std::string>>> PutOnNodes(
    const std::vector<FileSet>& sets, const std::vector<FileTarget>& targets,
    int64_t timeout_ms, std::vector<Question>& also) {
  std::vector<QueryMsg> queries;
  std::vector<size_t> firsts;  // of each set among the queries
  for (const FileSet& files : sets) {
    firsts.push_back(queries.size());
    RETURN_IF_ERROR(PlanFirst(files, queries));
  }
  const auto answers = AskTargets(targets, queries, timeout_ms, also);
  if (!answers.ok()) {
    return InContext(answers.status(), sets.front().files.front().path);
  }
  std::vector<std::vector<std::string>> paths;
  for (size_t s = 0; s < sets.size(); ++s) {
    const auto answer = [&](size_t target, size_t k) -> const std::string& {
      return (*answers)[target * queries.size() + firsts[s] + k];
    };
    ASSIGN_OR_RETURN(paths.emplace_back(),
                     SendMissing(sets[s], targets, timeout_ms, answer));
  }
  return paths;
}

}  // namespace zs
