// Collective operations on CPUs, over Gloo's connections.
#ifndef ENGINE_COMM_GLOO_COMMUNICATOR_H_
#define ENGINE_COMM_GLOO_COMMUNICATOR_H_

#include <memory>
#include <string>

#include "base/status.h"
#include "engine/comm/communicator.h"
#include "engine/comm/rendezvous.h"

namespace zs {

// Connects the ranks that met at RENDEZVOUS, which must outlive the result. A
// peer that is silent for TIMEOUT_S in an operation is an error. Every rank
// sends each other rank its slice directly, so that an operation on S bytes
// sends S (N - 1) / N of them, an all-reduce twice that.
Result<std::unique_ptr<Communicator>> ConnectGloo(Rendezvous& rendezvous,
                                                  double timeout_s);

// The version of Gloo that this program was built with.
std::string GlooVersion();

}  // namespace zs

#endif  // ENGINE_COMM_GLOO_COMMUNICATOR_H_
