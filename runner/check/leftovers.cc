#include "runner/check/leftovers.h"

#include <sstream>

#include "runner/check/judge.h"

namespace zs {

std::string LeftoverScript() {
  return "grep -l ZS_RUN_TOKEN= /proc/[0-9]*/environ; ls -l /dev/shm";
}

void JudgeLeftovers(const std::string& answer, CheckResult& result) {
  std::istringstream lines(answer);
  std::string line;
  std::string found;
  int count = 0;
  int owned = 0;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string kind;
    std::string pid;
    std::string owner;
    std::string token;
    std::string name;
    words >> kind >> pid >> owner >> token >> name;
    if (kind != "process") {
      continue;
    }
    owned += owner == "owned" ? 1 : 0;
    if (++count <= 3) {
      found += (found.empty() ? "" : ", ") + std::string("pid ") + pid + " (" +
               name + ") of run " + token;
    }
  }
  result.state = count == 0 ? CheckState::kOk : CheckState::kFailed;
  result.found = count == 0 ? "no process of a run"
                            : std::to_string(count) + " processes: " + found;
  const std::string files = FieldOf(answer, "shm_files").value_or("");
  if (!files.empty() && files != "0") {
    result.found += "; in /dev/shm " + files + " files of NCCL or PyTorch, " +
                    FieldOf(answer, "shm_bytes").value_or("?") + " bytes";
  }
  result.limit = "no process of another run";
  if (count > 0) {
    result.limit += owned > 0 ? "; another runner is at work there: wait for "
                                "it, or stop it"
                              : "; they are left over: end them (kill PID)";
  }
}

}  // namespace zs
