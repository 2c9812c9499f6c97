// A runner for tests that kill it: run_fake_train RANKS ARG... carries out one
// run of fake_train and prints its token, "first step", and the outcome.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "runner/supervise/supervise.h"
#include "tests/fault/fault_test_base.h"

namespace zs::testing {
namespace {

class Announcer final : public LineObserver {
 protected:
  void OnLine(int rank, const std::string& line,
              RunProgress& progress) override {
    LineObserver::OnLine(rank, line, progress);
    if (rank == 0 && line == "step 1") {
      std::puts("first step");
      std::fflush(stdout);
    }
  }
};

int Main(int argc, char** argv) {
  const RunRequest request =
      FakeTrain(std::atoi(argv[1]), {argv + 2, argv + argc});
  std::printf("token %s\n", request.token.c_str());
  std::fflush(stdout);
  AgentPool pool({kAgentPath, ""});
  Announcer observer;
  Result<StopSource> stop = StopSource::Create();
  if (!stop.ok()) {
    return 1;
  }
  const RunOutcome outcome = Supervise(request, pool, observer, *stop);
  std::printf("outcome %s\n", outcome.cause.c_str());
  return outcome.state == ProcessState::kExited ? 0 : 1;
}

}  // namespace
}  // namespace zs::testing

int main(int argc, char** argv) {
  return argc < 2 ? 64 : zs::testing::Main(argc, argv);
}
