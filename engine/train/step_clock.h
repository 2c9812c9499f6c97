// Where a step's time goes, by the device's clock.
#ifndef ENGINE_TRAIN_STEP_CLOCK_H_
#define ENGINE_TRAIN_STEP_CLOCK_H_

#include <cstdint>
#include <vector>

#include "engine/api/event.h"
#include "engine/ops/device_clock.h"

namespace zs {

// Marks the phases of one step while they are issued, so that their times can
// be read when the device has come to their end. Every moment of the step
// counts in one field of its event. CLOCK outlives it.
class StepClock {
 public:
  // The step begins here.
  explicit StepClock(DeviceClock& clock);

  // A phase began where the last one ended and ends here: it counts in FIELD.
  // Of its time, WAITS count as comm_exposed_ms and BACKWARD as backward_ms.
  void EndPhase(double StepEvent::*field, std::vector<MarkedSpan> waits,
                std::vector<MarkedSpan> backward = {});

  // Where the last phase ended.
  int64_t end() const { return end_; }

  // Adds the times to EVENT; waits for end().
  void Fill(StepEvent& event) const;

 private:
  struct Phase {
    double StepEvent::*field;
    MarkedSpan span;
    std::vector<MarkedSpan> waits;
    std::vector<MarkedSpan> backward;
  };

  double MsOf(const MarkedSpan& span) const;
  double MsOf(const std::vector<MarkedSpan>& spans) const;

  DeviceClock* clock_;
  int64_t begin_;
  int64_t end_;
  std::vector<Phase> phases_;
};

}  // namespace zs

#endif  // ENGINE_TRAIN_STEP_CLOCK_H_
