#include "runner/sweep/repeats.h"

#include <algorithm>

namespace zs {
namespace {

// Orders of further repeats differ from those of the first.
constexpr int kFirstFurtherBlock = 1000;

Status RunBlock(std::vector<Member>& members, const std::vector<size_t>& due,
                int block, const RepeatTools& tools) {
  for (const size_t k : BlockOrder(due, tools.seed, block)) {
    RETURN_IF_ERROR(tools.run(members[k]));
  }
  return OkStatus();
}

Status RunAsked(std::vector<Member>& members, const RepeatTools& tools) {
  for (int block = 1;; ++block) {
    const std::vector<size_t> due = Due(members, [&](const Member& m) {
      return m.next <= tools.sweep.experiments[m.index].repeats;
    });
    if (due.empty()) {
      return OkStatus();
    }
    RETURN_IF_ERROR(RunBlock(members, due, block, tools));
  }
}

Status RunFurther(std::vector<Member>& members, const RepeatTools& tools) {
  const auto may_go_on = [&](const Member& m) {
    return m.next <= tools.sweep.experiments[m.index].until.max;
  };
  for (int block = kFirstFurtherBlock;
       !tools.must_stop() && !Due(members, may_go_on).empty(); ++block) {
    ASSIGN_OR_RETURN(const std::vector<size_t> open, tools.undecided());
    const std::vector<size_t> due = Due(members, [&](const Member& m) {
      return may_go_on(m) &&
             std::find(open.begin(), open.end(), m.index) != open.end();
    });
    if (due.empty()) {
      break;
    }
    tools.spending(due.size());
    RETURN_IF_ERROR(RunBlock(members, due, block, tools));
  }
  return OkStatus();
}

}  // namespace

Status RunRepeats(std::vector<Member>& members, const RepeatTools& tools) {
  RETURN_IF_ERROR(RunAsked(members, tools));
  return RunFurther(members, tools);
}

}  // namespace zs
