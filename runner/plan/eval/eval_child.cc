#include "runner/plan/eval/eval_child.h"

#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "runner/plan/eval/evaluation.h"

namespace zs {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitAddressSpace = false;  // shadow memory takes terabytes
#else
constexpr bool kLimitAddressSpace = true;
#endif

void Limit(decltype(RLIMIT_CPU) resource, int64_t value) {
  const auto limit = static_cast<rlim_t>(value);
  const rlimit both{limit, limit};
  ::setrlimit(resource, &both);  // lowering a limit cannot fail
}

void LimitProcess(const EvalLimits& limits) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_FSIZE, 0);
  Limit(RLIMIT_NPROC, 0);
  Limit(RLIMIT_CPU, limits.cpu_s);
  Limit(RLIMIT_STACK, limits.stack_bytes);
  if (kLimitAddressSpace) {
    Limit(RLIMIT_AS, limits.memory_bytes);
  }
}

// Jsonnet reads its own library first, which makes megabytes of small objects
// each time: in large pages, where the kernel gives them, that takes half as
// long (23 ms of 48, measured).
void UseLargePages() {
  constexpr int kHeapBytes = 32 << 20;
  constexpr uintptr_t kPageBytes = 2 << 20;
  constexpr size_t kSpareBytes = 256 << 10;  // twice glibc's pad
  ::mallopt(M_MMAP_THRESHOLD, kHeapBytes);
  ::mallopt(M_TRIM_THRESHOLD, 2 * kHeapBytes);
  ::mallopt(M_TOP_PAD, kHeapBytes);
  auto* const begin = static_cast<char*>(::sbrk(0));
  char* const first =
      begin + (kPageBytes - reinterpret_cast<uintptr_t>(begin) % kPageBytes);
  // The heap grows by the pad. What is kept here, and never touched, fills it
  // up to the first of the large pages: what comes next lies in these.
  [[maybe_unused]] void* volatile filler =
      std::malloc(kPageBytes + kSpareBytes);
  const auto* const end = static_cast<char*>(::sbrk(0));
  if (first < end) {
    ::madvise(first, static_cast<size_t>(end - first), MADV_HUGEPAGE);
  }
}

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(static_cast<size_t>(n < 0 ? 0 : n));
  }
  return true;
}

EvalAnswer Answer(const EvalRequest& request) {
  try {
    return EvaluateHere(request);
  } catch (const std::bad_alloc&) {
    return {.header = {.error = std::string(kOutOfMemoryError)}};
  } catch (const std::exception& e) {
    return {.header = {.error = std::string("Jsonnet failed: ") + e.what()}};
  }
}

}  // namespace

int EvalInChild(const EvalRequest& request) {
  LimitProcess(request.limits);
  UseLargePages();
  const EvalAnswer answer = Answer(request);
  const bool written = WriteAll(STDOUT_FILENO, ToLine(answer.header)) &&
                       WriteAll(STDOUT_FILENO, answer.document);
  // The process is done; freeing its data one by one would cost time.
  ::_exit(written ? 0 : 1);
}

}  // namespace zs
