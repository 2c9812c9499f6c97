#include "runner/reach/ask.h"

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "base/clock.h"

namespace zs {
namespace {

// Different for each question, so that a late answer to an earlier one is not
// taken for the answer to this one.
int64_t NextSeq() {
  static std::atomic<int64_t> seq = 0;
  return ++seq;
}

int64_t NowUnixUs() {
  return RealClock().unix_ms() * 1000;
}

bool IsOpen(const Question& question) {
  return question.answer.status().code() == StatusCode::kDeadlineExceeded;
}

void Settle(std::vector<Question>& questions, const AnswerMsg& answer) {
  for (Question& question : questions) {
    if (IsOpen(question) && question.query.seq == answer.seq) {
      question.answer = answer.ok != 0 ? Result<std::string>(answer.text)
                                       : FailedPreconditionError(answer.text);
      question.answered_unix_us = NowUnixUs();
    }
  }
}

// Takes the answers that have come on CONNECTION. What is still open on a
// broken one is lost.
void TakeAnswers(Connection& connection, std::vector<Question>& questions) {
  while (const std::optional<Message> message = connection.Next()) {
    if (const auto* answer = std::get_if<AnswerMsg>(&*message)) {
      Settle(questions, *answer);
    }
  }
  for (Question& question : questions) {
    if (question.connection == &connection && IsOpen(question) &&
        !connection.status().ok()) {
      question.answer = UnavailableError(connection.status().message() + ": " +
                                         connection.Obituary());
    }
  }
}

// The connections of some questions, and until when each may answer.
class Deadlines {
 public:
  explicit Deadlines(int64_t timeout_ms)
      : timeout_ns_(timeout_ms * 1'000'000) {}

  void Add(const Connection& connection) {
    ends_.try_emplace(&connection, End{RealClock().monotonic_ns() + timeout_ns_,
                                       connection.greeting().has_value()});
  }

  // A greeting that has come gives its connection time for the answers.
  void Look() {
    for (auto& [connection, end] : ends_) {
      if (!end.greeted && connection->greeting()) {
        end = {RealClock().monotonic_ns() + timeout_ns_, true};
      }
    }
  }

  int64_t Of(const Connection& connection) const {
    return ends_.at(&connection).at_ns;
  }

 private:
  struct End {
    int64_t at_ns = 0;
    bool greeted = false;
  };

  int64_t timeout_ns_;
  std::map<const Connection*, End> ends_;
};

// The first end of an open question; empty where none is open that may still
// be answered.
std::optional<int64_t> NextEnd(const std::vector<Question>& questions,
                               const Deadlines& deadlines) {
  std::optional<int64_t> next;
  const int64_t now_ns = RealClock().monotonic_ns();
  for (const Question& question : questions) {
    if (IsOpen(question)) {
      const int64_t end_ns = deadlines.Of(*question.connection);
      if (end_ns > now_ns) {
        next = std::min(next.value_or(end_ns), end_ns);
      }
    }
  }
  return next;
}

// Waits for something on CONNECTIONS until END_NS and moves bytes.
void PollOnce(const std::set<Connection*>& connections, int64_t end_ns) {
  std::vector<pollfd> polled;
  for (const Connection* connection : connections) {
    polled.push_back({connection->out_fd(), POLLIN, 0});
    polled.push_back({connection->err_fd(), POLLIN, 0});
    polled.push_back({connection->in_fd(), POLLOUT, 0});
  }
  const int64_t left_ms =
      (end_ns - RealClock().monotonic_ns() + 999'999) / 1'000'000;
  if (::poll(polled.data(), polled.size(),
             static_cast<int>(std::max<int64_t>(left_ms, 0))) <= 0) {
    return;
  }
  size_t at = 0;
  for (Connection* connection : connections) {
    if (polled[at].revents != 0) {
      connection->ReadOut();
    }
    if (polled[at + 1].revents != 0) {
      connection->ReadErr();
    }
    if (polled[at + 2].revents != 0) {
      connection->Flush();
    }
    at += 3;
  }
}

}  // namespace

void AskAll(std::vector<Question>& questions, int64_t timeout_ms) {
  Deadlines deadlines(timeout_ms);
  std::set<Connection*> connections;
  for (Question& question : questions) {
    question.query.seq = NextSeq();
    question.sent_unix_us = NowUnixUs();
    question.answer =
        DeadlineExceededError("no answer to '" + question.query.name +
                              "' within " + std::to_string(timeout_ms) + " ms");
    const Status queued = question.connection->Queue(question.query);
    if (!queued.ok()) {
      question.answer = queued;
    }
    connections.insert(question.connection);
    deadlines.Add(*question.connection);
  }
  for (Connection* connection : connections) {
    connection->Flush();
  }
  for (;;) {
    for (Connection* connection : connections) {
      TakeAnswers(*connection, questions);
    }
    deadlines.Look();
    const std::optional<int64_t> end_ns = NextEnd(questions, deadlines);
    if (!end_ns) {
      return;
    }
    PollOnce(connections, *end_ns);
  }
}

void Tell(Connection& connection, QueryMsg query) {
  query.seq = NextSeq();
  (void)connection.Send(query);
}

Result<std::string> Ask(Connection& connection, QueryMsg query,
                        int64_t timeout_ms) {
  std::vector<Question> questions(1);
  questions[0].connection = &connection;
  questions[0].query = std::move(query);
  AskAll(questions, timeout_ms);
  return questions[0].answer;
}

}  // namespace zs
