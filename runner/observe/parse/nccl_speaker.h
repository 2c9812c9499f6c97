// Who wrote a line of NCCL's.
#ifndef RUNNER_OBSERVE_PARSE_NCCL_SPEAKER_H_
#define RUNNER_OBSERVE_PARSE_NCCL_SPEAKER_H_

#include <string_view>

#include "runner/observe/parse/observation.h"

namespace zs {

// From "host:pid:tid [dev] " at the end of BEFORE, which is what stands in
// front of the word NCCL; warnings have "file:line (function) " between.
// Fields stay empty where the line has lost them.
NcclSpeaker NcclSpeakerBefore(std::string_view before);

// The same for a whole line; empty fields where it is none of NCCL's.
NcclSpeaker NcclSpeakerOf(std::string_view text);

}  // namespace zs

#endif  // RUNNER_OBSERVE_PARSE_NCCL_SPEAKER_H_
