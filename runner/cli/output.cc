#include "runner/cli/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "base/strings.h"

namespace zs {

bool Print(std::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return std::fflush(stdout) == 0 && written;
}

int Complain(const Status& status, int code) {
  for (const std::string& line : Split(status.message(), '\n')) {
    std::fprintf(stderr, "runner: %s\n", Printable(line).c_str());
  }
  return code;
}

bool ColorIsWanted() {
  const char* no_color = std::getenv("NO_COLOR");
  return no_color == nullptr || *no_color == '\0';
}

bool StderrIsTerminal() {
  const char* term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  return ::isatty(STDERR_FILENO) == 1 && !dumb;
}

results::TerminalStyle StdoutStyle() {
  results::TerminalStyle style;
  if (::isatty(STDOUT_FILENO) != 1) {
    style.width = std::numeric_limits<int>::max();  // a file is never full
    return style;
  }
  style.color = ColorIsWanted();
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.width = size.ws_col;
  }
  return style;
}

std::string DatabasePath(const std::string& path) {
  if (!path.empty()) {
    return path;
  }
  const char* variable = std::getenv("RUNNER_DB");
  return variable != nullptr && *variable != '\0' ? variable
                                                  : "results/results.db";
}

std::string ArtifactRoot(const std::string& db) {
  return (std::filesystem::absolute(DatabasePath(db)).parent_path() /
          "artifacts")
      .string();
}

Status GoWhereThePersonStands() {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder != nullptr && ::chdir(folder) != 0) {
    return ErrnoError(errno, folder);
  }
  return OkStatus();
}

}  // namespace zs
