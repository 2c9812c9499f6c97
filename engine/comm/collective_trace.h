// Where this rank is among the collective operations, for whoever looks for the
// rank that holds up the others.
#ifndef ENGINE_COMM_COLLECTIVE_TRACE_H_
#define ENGINE_COMM_COLLECTIVE_TRACE_H_

#include <atomic>
#include <cstdint>

namespace zs {

// Written by the thread that issues operations and waits for them; read from a
// signal handler at any moment, so that it is made of lock-free atomics.
struct CollectiveTrace {
  struct Operation {
    std::atomic<const char*> op = "none";  // a literal
    std::atomic<int64_t> seq = 0;
    std::atomic<int64_t> bytes = 0;
    std::atomic<int64_t> since_ns = 0;  // by CLOCK_MONOTONIC
  };
  Operation issued;   // the last one
  Operation awaited;  // seq 0: nothing is waited for
};

// This process's.
CollectiveTrace& TheCollectiveTrace();

}  // namespace zs

#endif  // ENGINE_COMM_COLLECTIVE_TRACE_H_
