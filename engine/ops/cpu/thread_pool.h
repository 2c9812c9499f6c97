// The threads that compute for one rank.
#ifndef ENGINE_OPS_CPU_THREAD_POOL_H_
#define ENGINE_OPS_CPU_THREAD_POOL_H_

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace zs {

// A fixed number of threads, the caller among them, that carry out numbered
// tasks. Tasks go to whichever thread is free, so an operator must give the
// same bits whoever runs a task: each writes its own outputs. One caller at a
// time; no task may call Run or For.
class ThreadPool {
 public:
  // THREADS >= 1 in all; one less is started.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // body(task, thread) for each task in [0, tasks); thread in [0, threads()).
  // Returns when all are done.
  template <typename Body>
  void Run(int64_t tasks, const Body& body) {
    RunErased(
        tasks,
        [](const void* erased, int64_t task, int thread) {
          (*static_cast<const Body*>(erased))(task, thread);
        },
        &body);
  }

  // body(begin, end) for pieces of [0, n), each GRAIN long but for the last.
  template <typename Body>
  void For(int64_t n, int64_t grain, const Body& body) {
    Run((n + grain - 1) / grain, [&](int64_t task, int) {
      const int64_t begin = task * grain;
      body(begin, begin + grain < n ? begin + grain : n);
    });
  }

 private:
  using Call = void (*)(const void* body, int64_t task, int thread);

  // state_ holds a job number, whether that job still takes threads, and how
  // many workers are in it.
  static constexpr uint32_t kOpen = 1u << 15;
  static constexpr uint32_t kActive = kOpen - 1;
  static constexpr uint32_t kNextJob = 1u << 16;

  void RunErased(int64_t tasks, Call call, const void* body);
  void Work(int thread);
  void TakeTasks(int thread);
  uint32_t WaitForChange(uint32_t seen);
  bool Join(uint32_t* seen);
  void Close();

  Call call_ = nullptr;
  const void* body_ = nullptr;
  int64_t tasks_ = 0;
  std::atomic<int64_t> next_{0};
  std::atomic<uint32_t> state_{0};
  std::atomic<bool> stop_{false};
  std::vector<std::thread> workers_;
};

}  // namespace zs

#endif  // ENGINE_OPS_CPU_THREAD_POOL_H_
