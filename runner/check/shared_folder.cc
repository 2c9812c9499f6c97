#include "runner/check/shared_folder.h"

#include <algorithm>
#include <utility>

#include "runner/check/judge.h"
#include "runner/reach/ask.h"

namespace zs {
namespace {

// Each gets the folder and the file as $1 and $2.
constexpr char kWrite[] =
    "[ -d \"$1\" ] || echo made; mkdir -p \"$1\" && echo \"$2\" >\"$1/$2\"";
constexpr char kRead[] = "cat \"$1/$2\"";
constexpr char kRemove[] = "rm -f \"$1/$2\"";
constexpr char kRemoveBoth[] = "rm -f \"$1/$2\"; rmdir \"$1\"";
constexpr char kRunMs[] = "10000";

std::vector<std::string> ShellCommand(const char* script,
                                      const SharedFolder& folder) {
  return {"sh", "-c", script, "sh", folder.path, ".zerosweep-" + folder.token};
}

Question AskShell(Connection* connection, const char* script,
                  const SharedFolder& folder) {
  Question question;
  question.connection = connection;
  question.query = {0, "run", {kRunMs}};
  for (std::string& word : ShellCommand(script, folder)) {
    question.query.args.push_back(std::move(word));
  }
  return question;
}

// Sets state and found of RESULT from ANSWER, which is good if it ends in
// WANTED.
void Judge(const Result<std::string>& answer, const std::string& path,
           const std::string& wanted, CheckResult& result) {
  if (!answer.ok()) {
    result.state = CheckState::kUnknown;
    result.found = path + ": " + answer.status().message();
    return;
  }
  std::string said = *answer;
  std::replace(said.begin(), said.end(), '\n', ' ');
  const bool good =
      answer->starts_with("exit 0\n") && answer->ends_with(wanted);
  result.state = good ? CheckState::kOk : CheckState::kFailed;
  result.found = path + (good ? ": what the first node wrote is there"
                              : ": not there: " + said);
}

CheckResult ResultFor(const PreflightNode& node, const char* script,
                      const SharedFolder& folder) {
  CheckResult result;
  result.name = "shared_folder";
  result.node = node.name;
  result.limit =
      "one folder for all nodes; let checkpoint.dir name one on a shared file "
      "system";
  result.repeat = RepeatOn(node.reach, ShellCommand(script, folder));
  return result;
}

}  // namespace

std::vector<CheckResult> CheckSharedFolder(const SharedFolder& folder,
                                           AgentPool& agents,
                                           int64_t timeout_ms) {
  std::vector<CheckResult> results;
  std::vector<Question> questions;
  for (const PreflightNode& node : folder.nodes) {
    const char* script = results.empty() ? kWrite : kRead;
    results.push_back(ResultFor(node, script, folder));
    const auto connection = agents.Get(node.name, node.reach);
    if (!connection.ok()) {
      results.back().found = connection.status().message();
      return results;
    }
    questions.push_back(AskShell(*connection, script, folder));
  }
  std::vector<Question> first = {questions.front()};
  AskAll(first, timeout_ms);
  Judge(first[0].answer, folder.path, "", results.front());
  if (results.front().state != CheckState::kOk) {
    results.resize(1);
    return results;
  }
  results.front().found = folder.path + ": written";
  const bool made = first[0].answer->find("\nmade\n") != std::string::npos;
  questions.erase(questions.begin());
  AskAll(questions, timeout_ms);
  for (size_t i = 0; i < questions.size(); ++i) {
    Judge(questions[i].answer, folder.path, ".zerosweep-" + folder.token + "\n",
          results[i + 1]);
  }
  first = {AskShell(first[0].connection, made ? kRemoveBoth : kRemove, folder)};
  AskAll(first, timeout_ms);
  return results;
}

}  // namespace zs
