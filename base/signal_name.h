// Signals as people write them.
#ifndef BASE_SIGNAL_NAME_H_
#define BASE_SIGNAL_NAME_H_

#include <string>

namespace zs {

// "SIGKILL" for 9; "signal 77" for a number without a name.
std::string SignalName(int signal);

}  // namespace zs

#endif  // BASE_SIGNAL_NAME_H_
