#include "engine/ops/cpu/thread_pool.h"

namespace zs {
namespace {

// A worker looks this often for work before it sleeps: some 50 us, longer than
// the pauses between operators and shorter than a wait for communication.
constexpr int kSpins = 2000;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  for (int thread = 1; thread < threads; ++thread) {
    workers_.emplace_back([this, thread] { Work(thread); });
  }
}

ThreadPool::~ThreadPool() {
  stop_.store(true, std::memory_order_relaxed);
  state_.fetch_add(kNextJob, std::memory_order_release);
  state_.notify_all();
  for (std::thread& worker : workers_) {
    worker.join();
  }
}

void ThreadPool::RunErased(int64_t tasks, Call call, const void* body) {
  if (workers_.empty() || tasks <= 1) {
    for (int64_t task = 0; task < tasks; ++task) {
      call(body, task, 0);
    }
    return;
  }
  call_ = call;
  body_ = body;
  tasks_ = tasks;
  next_.store(0, std::memory_order_relaxed);
  state_.fetch_add(kNextJob | kOpen, std::memory_order_release);
  state_.notify_all();
  TakeTasks(0);
  Close();
}

void ThreadPool::TakeTasks(int thread) {
  while (true) {
    const int64_t task = next_.fetch_add(1, std::memory_order_relaxed);
    if (task >= tasks_) {
      return;
    }
    call_(body_, task, thread);
  }
}

// Workers that have not come by now are not waited for: on a busy machine one
// may wake long after the work is done.
void ThreadPool::Close() {
  uint32_t state = state_.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
  while ((state & kActive) != 0) {
    state = WaitForChange(state);
  }
}

uint32_t ThreadPool::WaitForChange(uint32_t seen) {
  for (int spin = 0; spin < kSpins; ++spin) {
    const uint32_t state = state_.load(std::memory_order_acquire);
    if (state != seen) {
      return state;
    }
    Pause();
  }
  state_.wait(seen, std::memory_order_acquire);
  return state_.load(std::memory_order_acquire);
}

bool ThreadPool::Join(uint32_t* seen) {
  while ((*seen & kOpen) != 0) {
    if (state_.compare_exchange_weak(*seen, *seen + 1,
                                     std::memory_order_acq_rel)) {
      return true;
    }
  }
  return false;
}

void ThreadPool::Work(int thread) {
  uint32_t seen = 0;
  while (!stop_.load(std::memory_order_relaxed)) {
    seen = state_.load(std::memory_order_acquire);
    if (Join(&seen)) {
      TakeTasks(thread);
      seen = state_.fetch_sub(1, std::memory_order_acq_rel) - 1;
      if ((seen & (kOpen | kActive)) == 0) {
        state_.notify_all();
      }
    }
    // An open job that this thread has been through has no tasks left.
    WaitForChange(seen);
  }
}

}  // namespace zs
