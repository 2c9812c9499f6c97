// A second thread for large logs.
#ifndef RUNNER_OBSERVE_PARSE_SCAN_HELPER_H_
#define RUNNER_OBSERVE_PARSE_SCAN_HELPER_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace zs {

// Does one piece of work at a time on a thread of its own, beside its owner.
// Used by one thread.
class ScanHelper {
 public:
  ScanHelper();
  ~ScanHelper();
  ScanHelper(const ScanHelper&) = delete;
  ScanHelper& operator=(const ScanHelper&) = delete;

  // Begins WORK; whatever it refers to stays until Wait has returned.
  void Start(std::function<void()> work);
  // Until the work that was begun last is done.
  void Wait();

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;  // empty: none
  bool end_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace zs

#endif  // RUNNER_OBSERVE_PARSE_SCAN_HELPER_H_
