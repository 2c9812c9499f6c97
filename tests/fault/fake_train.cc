// A trainer without training: prints "start", then "step N" lines, and fails in
// the ways that trainers do, as its arguments say. RANK comes from the
// environment; an option that names a rank holds for that rank alone.
//
//   --steps N --dt_ms N          default 3 and 5
//   --exit RANK STEP CODE        ends before STEP
//   --signal RANK STEP SIGNAL    sends itself a signal before STEP
//   --hang RANK STEP             sleeps for ever before STEP
//   --error RANK STEP            prints "error: ..." before STEP and hangs
//   --silent RANK                prints nothing and sleeps for ever
//   --ignore_term                lives on after SIGTERM
//   --daemon                     leaves a process in a session of its own
//   --daemon_holds_output        ... which keeps stdout and stderr open
//   --print_bytes N              N bytes of any value on one line
//   --flood_lines N              N numbered lines
//   --print_env NAME             the variable's value
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Event {
  enum Kind { kExit, kSignal, kHang, kError } kind;
  int rank;
  int step;
  int value;
};

struct Options {
  int steps = 3;
  int dt_ms = 5;
  int silent_rank = -1;
  bool daemon = false;
  bool daemon_holds_output = false;
  long print_bytes = 0;
  long flood_lines = 0;
  std::string print_env;
  std::vector<Event> events;
};

// The next word as a number.
int Number(char**& word) {
  ++word;
  return *word == nullptr ? 0 : std::atoi(*word);
}

Event ParseEvent(Event::Kind kind, bool has_value, char**& word) {
  Event event{kind, 0, 0, 0};
  event.rank = Number(word);
  event.step = Number(word);
  event.value = has_value ? Number(word) : 0;
  return event;
}

bool ParseOption(char**& word, Options& options) {
  const std::string name = *word;
  if (name == "--steps") {
    options.steps = Number(word);
  } else if (name == "--dt_ms") {
    options.dt_ms = Number(word);
  } else if (name == "--exit") {
    options.events.push_back(ParseEvent(Event::kExit, true, word));
  } else if (name == "--signal") {
    options.events.push_back(ParseEvent(Event::kSignal, true, word));
  } else if (name == "--hang") {
    options.events.push_back(ParseEvent(Event::kHang, false, word));
  } else if (name == "--error") {
    options.events.push_back(ParseEvent(Event::kError, false, word));
  } else if (name == "--silent") {
    options.silent_rank = Number(word);
  } else if (name == "--ignore_term") {
    ::signal(SIGTERM, SIG_IGN);
  } else if (name == "--daemon") {
    options.daemon = true;
  } else if (name == "--daemon_holds_output") {
    options.daemon = options.daemon_holds_output = true;
  } else if (name == "--print_bytes") {
    options.print_bytes = Number(word);
  } else if (name == "--flood_lines") {
    options.flood_lines = Number(word);
  } else if (name == "--print_env" && word[1] != nullptr) {
    options.print_env = *++word;
  } else {
    return false;
  }
  return true;
}

[[noreturn]] void SleepForEver() {
  for (;;) {
    ::pause();
  }
}

// As daemon(3) does it: two forks and a session of its own.
void StartDaemon(bool holds_output) {
  if (::fork() != 0) {
    return;
  }
  ::setsid();
  if (::fork() != 0) {
    ::_exit(0);
  }
  if (!holds_output) {
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, 1);
    ::dup2(null, 2);
  }
  SleepForEver();
}

void PrintBytes(long count) {
  std::string bytes;
  for (long i = 0; i < count; ++i) {
    const char c = static_cast<char>(i * 7919 >> 3);
    bytes += c == '\n' ? '\0' : c;
  }
  bytes += '\n';
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
}

void Happen(const Event& event) {
  switch (event.kind) {
    case Event::kExit:
      std::fprintf(stderr, "leaving with %d\n", event.value);
      std::exit(event.value);
    case Event::kSignal:
      // Sanitizers catch some signals and exit instead.
      ::signal(event.value, SIG_DFL);
      ::raise(event.value);
      break;
    case Event::kHang:
      SleepForEver();
    case Event::kError:
      std::puts("error: the device is lost");
      SleepForEver();
  }
}

void Train(const Options& options, int rank) {
  std::printf("start rank %d\n", rank);
  if (!options.print_env.empty()) {
    const char* value = std::getenv(options.print_env.c_str());
    std::printf("env %s\n", value == nullptr ? "(unset)" : value);
  }
  if (options.print_bytes > 0) {
    PrintBytes(options.print_bytes);
  }
  for (long i = 0; i < options.flood_lines; ++i) {
    std::printf("flood line %ld of rank %d with some text behind it\n", i,
                rank);
  }
  for (int step = 1; step <= options.steps; ++step) {
    for (const Event& event : options.events) {
      if (event.rank == rank && event.step == step) {
        Happen(event);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(options.dt_ms));
    std::printf("step %d\n", step);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (char** word = argv + 1; word < argv + argc; ++word) {
    if (!ParseOption(word, options)) {
      std::fprintf(stderr, "unknown option %s\n", *word);
      return 64;
    }
  }
  const char* text = std::getenv("RANK");
  const int rank = text == nullptr ? 0 : std::atoi(text);
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
  if (options.daemon) {
    StartDaemon(options.daemon_holds_output);
  }
  if (options.silent_rank == rank) {
    SleepForEver();
  }
  Train(options, rank);
  return 0;
}
