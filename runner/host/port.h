// TCP ports for a rendezvous on this host.
#ifndef RUNNER_HOST_PORT_H_
#define RUNNER_HOST_PORT_H_

#include <cstdint>

#include "base/status.h"

namespace zs {

// Whether nobody listens on PORT on any address of this host.
bool IsPortFree(int port);

// PREFERRED where it is free (0: no preference), otherwise another one that
// is, from 20000 to 32767: below the range out of which Linux takes the ports
// of outgoing connections. SEED varies where the search begins.
// kResourceExhausted where none is free.
Result<int> FreePort(int preferred, uint64_t seed);

}  // namespace zs

#endif  // RUNNER_HOST_PORT_H_
