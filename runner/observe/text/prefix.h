// What launchers and collectors put in front of a program's own line, and
// what it says about the speaker.
#ifndef RUNNER_OBSERVE_TEXT_PREFIX_H_
#define RUNNER_OBSERVE_TEXT_PREFIX_H_

#include <cstddef>
#include <optional>
#include <string_view>

namespace zs {

// Who printed a line, as far as its prefix tells. Views point into the line.
struct Prefix {
  std::string_view host;  // pdsh, kubectl, Ray; empty: not said
  int rank = -1;          // [rank3]: of PyTorch, task of srun -l, mpirun's tag
  int local_rank = -1;    // [default3]: of torchrun --tee
  size_t length = 0;      // bytes of the line that belong to prefixes
};

// Knows torchrun --tee ("[default3]:"), PyTorch ("[rank3]:"), srun -l ("3: "),
// mpirun ("[3] ", "[1,3]<stdout>:"), pdsh ("node1: "), kubectl
// ("[pod/NAME/CONTAINER] ", RFC 3339 time stamps), Ray ("(Name pid=1, ip=A) ")
// and any sequence of them. LINE has no control characters.
Prefix ParsePrefix(std::string_view line);

// The rank that LINE names itself: "[Rank 3]", "... Rank 3]", "[rank3]".
// -1 where it names none.
int RankIn(std::string_view line);

// Seconds since the start of the year that the first time stamp in LINE says
// ("2026-11-30 05:40:26", with T, _ or a fraction; "E1130 05:51:44.4" of glog);
// the year is left out because half of the formats have none. Months count 31
// days: only differences within one run matter.
std::optional<double> TimeIn(std::string_view line);

}  // namespace zs

#endif  // RUNNER_OBSERVE_TEXT_PREFIX_H_
