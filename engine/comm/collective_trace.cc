#include "engine/comm/collective_trace.h"

namespace zs {

CollectiveTrace& TheCollectiveTrace() {
  static CollectiveTrace trace;
  return trace;
}

}  // namespace zs
