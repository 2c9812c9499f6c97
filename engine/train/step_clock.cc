#include "engine/train/step_clock.h"

#include <algorithm>
#include <utility>

namespace zs {

StepClock::StepClock(DeviceClock& clock)
    : clock_(&clock), begin_(clock.Mark()), end_(begin_) {}

void StepClock::EndPhase(double StepEvent::*field,
                         std::vector<MarkedSpan> waits,
                         std::vector<MarkedSpan> backward) {
  const int64_t begin = std::exchange(end_, clock_->Mark());
  phases_.push_back(
      {field, {begin, end_}, std::move(waits), std::move(backward)});
}

double StepClock::MsOf(const MarkedSpan& span) const {
  return clock_->MsBetween(span.begin, span.end);
}

double StepClock::MsOf(const std::vector<MarkedSpan>& spans) const {
  double ms = 0;
  for (const MarkedSpan& span : spans) {
    ms += MsOf(span);
  }
  return ms;
}

void StepClock::Fill(StepEvent& event) const {
  for (const Phase& phase : phases_) {
    const double waits_ms = MsOf(phase.waits);
    const double backward_ms = MsOf(phase.backward);
    event.comm_exposed_ms += waits_ms;
    event.backward_ms += backward_ms;
    // The parts are read off other marks than the whole: rounding may show.
    event.*phase.field +=
        std::max(MsOf(phase.span) - waits_ms - backward_ms, 0.0);
  }
  event.step_ms += MsOf({begin_, end_});
}

}  // namespace zs
