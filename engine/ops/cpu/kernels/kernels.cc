#include "engine/ops/cpu/kernels/kernels.h"

namespace zs {

namespace generic {
extern const Kernels kKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Kernels kKernels;
}
namespace avx512 {
extern const Kernels kKernels;
}
#endif

KernelList RunnableKernels() {
  KernelList list{};
#if defined(__x86_64__)
  // What -march=x86-64-v3 and -v4 ask for beyond each other.
  const bool avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (avx512) {
    list.items[list.count++] = &avx512::kKernels;
  }
  if (avx2) {
    list.items[list.count++] = &avx2::kKernels;
  }
#endif
  list.items[list.count++] = &generic::kKernels;
  return list;
}

const Kernels& ActiveKernels() {
  static const Kernels& active = *RunnableKernels().items[0];
  return active;
}

}  // namespace zs
