#include "runner/observe/parse/scan_helper.h"

#include <utility>

namespace zs {

ScanHelper::ScanHelper() : thread_([this] { Run(); }) {}

ScanHelper::~ScanHelper() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ScanHelper::Start(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = std::move(work);
  }
  changed_.notify_all();
}

void ScanHelper::Wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return work_ == nullptr; });
}

void ScanHelper::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return end_ || work_ != nullptr; });
    if (work_ == nullptr) {
      return;
    }
    lock.unlock();
    work_();
    lock.lock();
    work_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace zs
