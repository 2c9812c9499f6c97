#include "runner/reach/connection.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "base/signal_name.h"
#include "base/spawn.h"
#include "base/strings.h"
#include "runner/agent/write_pieces.h"

namespace zs {
namespace {

constexpr std::string_view kMarker = "\nzerosweep-agent-1\n";
// A login shell may print a message of the day, but not a book.
constexpr size_t kMaxPreambleBytes = size_t{256} << 10;
constexpr size_t kErrTailBytes = 4096;
// Received without having said so, after which the agent may forget it.
constexpr size_t kSayAfterBytes = size_t{1} << 20;

// Writes without SIGPIPE, whatever this program's setting for it is.
ssize_t WriteQuietly(int fd, const std::vector<std::string_view>& pieces) {
  sigset_t pipe;
  sigset_t before;
  sigset_t pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  const ssize_t n = WritePieces(fd, pieces);
  const int error = errno;
  if (n < 0 && error == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
    const timespec now{0, 0};
    sigtimedwait(&pipe, nullptr, &now);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return n;
}

// TEXT on one line, without control characters.
std::string OneLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 32 || c == 127;
    line += control ? ' ' : c;
  }
  const size_t first = line.find_first_not_of(' ');
  const size_t last = line.find_last_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first, last - first + 1);
}

}  // namespace

Connection::Connection(const std::vector<std::string>& command,
                       ConnectionOptions options)
    : command_(command),
      options_(std::move(options)),
      command_line_(Join(command, " ")),
      window_(/*keep=*/!options_.session.empty()) {}

Result<std::unique_ptr<Connection>> Connection::Open(
    const std::vector<std::string>& command, ConnectionOptions options) {
  std::unique_ptr<Connection> connection(
      new Connection(command, std::move(options)));
  RETURN_IF_ERROR(connection->Start("serve"));
  return connection;
}

Status Connection::Start(const std::string& verb) {
  ASSIGN_OR_RETURN(Pipe in, MakePipe());
  ASSIGN_OR_RETURN(Pipe out, MakePipe());
  ASSIGN_OR_RETURN(Pipe err, MakePipe());
  SpawnSpec spec;
  spec.argv = command_;
  spec.env = OwnEnvironment();
  spec.stdin_fd = in.read.get();
  spec.stdout_fd = out.write.get();
  spec.stderr_fd = err.write.get();
  // Ctrl-C on the terminal is for the runner alone.
  spec.new_session = true;
  ASSIGN_OR_RETURN(pid_, Spawn(spec));
  in_ = std::move(in.write);
  out_ = std::move(out.read);
  err_ = std::move(err.read);
  for (const int fd : {in_.get(), out_.get(), err_.get()}) {
    RETURN_IF_ERROR(SetNonBlocking(fd));
  }
  if (options_.bootstrap != nullptr) {
    const std::string session =
        options_.session.empty() ? "" : " " + verb + " " + options_.session;
    raw_ = options_.bootstrap->ScriptFor(options_.containment + session);
  } else {
    RETURN_IF_ERROR(AppendMessage(OpenMsg{options_.lease_ms, received_}, raw_));
    flowing_ = true;
  }
  Flush();
  return status_;
}

Status Connection::Reattach() {
  HangUp();
  status_ = OkStatus();
  decoder_ = FrameDecoder();
  greeting_.reset();
  wait_status_.reset();
  preamble_.clear();
  err_tail_.clear();
  began_ = false;
  program_sent_ = false;
  flowing_ = false;
  attaching_ = true;
  const Status started = Start("attach");
  if (!started.ok()) {
    HangUp();
  }
  return started;
}

void Connection::Break(Status status) {
  if (status_.ok()) {
    status_ = std::move(status);
  }
  raw_.clear();
  raw_sent_ = 0;
  in_.Reset();
}

bool Connection::SkipPreamble(std::string& bytes) {
  if (began_) {
    return true;
  }
  preamble_ += bytes;
  AnswerShell();
  const size_t marker = preamble_.find(kMarker);
  if (marker == std::string::npos) {
    if (preamble_.size() > kMaxPreambleBytes) {
      Break(DataLossError("what answers is no agent; it says: " +
                          OneLine(preamble_.substr(0, 200))));
    }
    return false;
  }
  began_ = true;
  if (options_.bootstrap != nullptr) {
    (void)AppendMessage(OpenMsg{options_.lease_ms, received_}, raw_);
    flowing_ = !attaching_;
  }
  Flush();
  bytes = preamble_.substr(marker + kMarker.size());
  preamble_.resize(marker);
  return true;
}

void Connection::AnswerShell() {
  if (options_.bootstrap != nullptr && !program_sent_ &&
      preamble_.find(kNeedsAgentMarker) != std::string::npos) {
    program_sent_ = true;
    raw_ += options_.bootstrap->program;
    Flush();
  }
}

void Connection::ReadOut() {
  char chunk[65536];
  const ssize_t n = ::read(out_.get(), chunk, sizeof chunk);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
    return;
  }
  if (n <= 0) {
    out_.Reset();
    Break(UnavailableError("the connection has ended"));
    return;
  }
  std::string bytes(chunk, static_cast<size_t>(n));
  if (status_.ok() && SkipPreamble(bytes)) {
    decoder_.Feed(bytes);
  }
}

void Connection::ReadErr() {
  char chunk[4096];
  const ssize_t n = ::read(err_.get(), chunk, sizeof chunk);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
    return;
  }
  if (n <= 0) {
    err_.Reset();
    Break(UnavailableError("the command has ended"));
    return;
  }
  err_tail_.append(chunk, static_cast<size_t>(n));
  if (err_tail_.size() > kErrTailBytes) {
    err_tail_.erase(0, err_tail_.size() - kErrTailBytes);
  }
}

void Connection::Refresh() {
  // Not for ever, whatever floods the pipe.
  constexpr int kMostChunks = 64;
  for (int i = 0; i < kMostChunks; ++i) {
    pollfd polled[2] = {{out_.get(), POLLIN, 0}, {err_.get(), POLLIN, 0}};
    if (::poll(polled, 2, /*timeout=*/0) <= 0) {
      return;
    }
    if (polled[0].revents != 0) {
      ReadOut();
    }
    if (polled[1].revents != 0) {
      ReadErr();
    }
  }
}

Status Connection::Queue(const Message& message) {
  if (!status_.ok() && !resumable()) {
    return status_;
  }
  std::string frame;
  RETURN_IF_ERROR(AppendMessage(message, frame));
  const bool numbered = IsNumbered(message);
  if (status_.ok() || numbered) {
    window_.Queue(std::move(frame), numbered);
  }
  return OkStatus();
}

Status Connection::Send(const Message& message) {
  RETURN_IF_ERROR(Queue(message));
  Flush();
  return resumable() ? OkStatus() : status_;
}

void Connection::Flush() {
  while (in_fd() >= 0) {
    const bool raw = !raw_.empty();
    const ssize_t n = WriteQuietly(
        in_.get(), raw ? std::vector{std::string_view(raw_).substr(raw_sent_)}
                       : window_.Pieces());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0 && errno == EAGAIN) {
      return;
    }
    if (n < 0) {
      Break(ErrnoError(errno, "write to the agent"));
      return;
    }
    if (!raw) {
      window_.Written(static_cast<size_t>(n));
      continue;
    }
    raw_sent_ += static_cast<size_t>(n);
    if (raw_sent_ == raw_.size()) {
      raw_.clear();
      raw_sent_ = 0;
    }
  }
}

bool Connection::Arrived(const Message& message, size_t bytes) {
  if (const auto* pong = std::get_if<PongMsg>(&message)) {
    window_.Acknowledge(pong->received);
  } else if (const auto* greeting = std::get_if<GreetingMsg>(&message)) {
    greeting_ = *greeting;
    if (std::exchange(attaching_, false)) {
      if (!window_.Resume(greeting->received)) {
        Break(DataLossError("the agent has lost count of its messages"));
        return false;
      }
      flowing_ = true;
      Flush();
    }
  } else if (const auto* note = std::get_if<NoteMsg>(&message);
             note != nullptr && attaching_) {
    gone_ = true;
    Break(UnavailableError(note->text));
    return false;
  }
  if (IsNumbered(message)) {
    ++received_;
    untold_bytes_ += bytes;
    if (resumable() && untold_bytes_ > kSayAfterBytes) {
      untold_bytes_ = 0;
      (void)Send(PingMsg{0, received_});
    }
  }
  return true;
}

std::optional<Message> Connection::Next() {
  Result<std::optional<Frame>> frame = decoder_.Next();
  if (!frame.ok()) {
    Break(frame.status());
    return std::nullopt;
  }
  if (!frame->has_value()) {
    return std::nullopt;
  }
  Result<Message> message = ParseMessage(**frame);
  if (!message.ok()) {
    Break(message.status());
    return std::nullopt;
  }
  if (!Arrived(*message, (*frame)->payload.size())) {
    return std::nullopt;
  }
  return *std::move(message);
}

std::string Connection::Obituary() {
  Collect(ended() ? kExitMs : 0);
  std::string how = "runs on";
  if (wait_status_ && WIFSIGNALED(*wait_status_)) {
    how = "was ended by " + SignalName(WTERMSIG(*wait_status_));
  } else if (wait_status_) {
    how = "ended with exit " + std::to_string(WEXITSTATUS(*wait_status_));
  }
  const std::string said = OneLine(err_tail_);
  return "'" + command_line_ + "' " + how + (said.empty() ? "" : ": " + said);
}

}  // namespace zs
