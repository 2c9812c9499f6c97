#include "runner/check/round.h"

#include <algorithm>
#include <string_view>

#include "runner/check/judge.h"
#include "runner/check/reach_fault.h"

namespace zs {
namespace {

// A script that takes longer says nothing in time.
constexpr char kScriptMs[] = "15000";

CheckResult ResultOf(const PreflightNode& node, const std::string& check,
                     const std::vector<std::string>& command) {
  CheckResult result;
  result.name = check;
  result.node = node.name;
  result.repeat = RepeatOn(node.reach, command);
  return result;
}

}  // namespace

void CheckRound::Reach() {
  for (size_t node = 0; node < nodes_.size(); ++node) {
    const Result<Connection*> connection =
        agents_.Get(nodes_[node].name, nodes_[node].reach);
    if (connection.ok()) {
      reached_[node] = *connection;
      continue;
    }
    CheckResult result = ResultOf(nodes_[node], "reach", {"true"});
    JudgeReachFault(connection.status().message(), result);
    results_.push_back(std::move(result));
  }
}

void CheckRound::Ask(size_t node, const std::string& check, QueryMsg query,
                     const std::vector<std::string>& command, Judge judge) {
  Question question;
  question.connection = reached_.at(node);
  question.query = std::move(query);
  questions_.push_back(std::move(question));
  asked_.push_back({ResultOf(nodes_[node], check, command), std::move(judge)});
}

void CheckRound::AskShell(size_t node, const std::string& check,
                          const std::string& script,
                          const std::vector<std::string>& args,
                          const std::string& by_hand, Judge judge) {
  const auto command_of = [&args](const std::string& text) {
    std::vector<std::string> command = {"sh", "-c", text, "sh"};
    command.insert(command.end(), args.begin(), args.end());
    return command;
  };
  QueryMsg query{0, "run", {kScriptMs}};
  for (std::string& word : command_of(script)) {
    query.args.push_back(std::move(word));
  }
  Ask(node, check, std::move(query),
      command_of(by_hand.empty() ? script : by_hand), std::move(judge));
}

void CheckRound::Run() {
  AskAll(questions_, timeout_ms_);
  for (size_t i = 0; i < asked_.size(); ++i) {
    CheckResult& result = asked_[i].result;
    question_ = &questions_[i];
    if (question_->answer.ok()) {
      asked_[i].judge(*question_->answer, result);
    } else {
      // The agent's word on it where it has one, else nobody knows.
      result.state =
          question_->answer.status().code() == StatusCode::kFailedPrecondition
              ? CheckState::kFailed
              : CheckState::kUnknown;
      result.found = question_->answer.status().message();
    }
    results_.push_back(std::move(result));
  }
  questions_.clear();
  asked_.clear();
}

std::optional<std::string> PrintedBy(const std::string& answer) {
  constexpr std::string_view kWell = "exit 0\n";
  return answer.starts_with(kWell)
             ? std::optional<std::string>(answer.substr(kWell.size()))
             : std::nullopt;
}

std::string OneLineOf(std::string answer) {
  std::replace(answer.begin(), answer.end(), '\n', ' ');
  constexpr size_t kLongest = 500;
  answer.resize(std::min(answer.size(), kLongest));
  return answer;
}

}  // namespace zs
