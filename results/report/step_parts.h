// The parts that a step's time is made of: one list, in one wording.
#ifndef RESULTS_REPORT_STEP_PARTS_H_
#define RESULTS_REPORT_STEP_PARTS_H_

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/store/reader.h"

namespace zs::results {

struct StepPart {
  const char* term;  // of predictions and in JSON
  const char* name;  // for people
  std::optional<double> StepRow::*field;
};

inline constexpr std::array<StepPart, 5> kStepParts = {
    {{"data", "data", &StepRow::data_ms},
     {"forward", "forward", &StepRow::forward_ms},
     {"backward", "backward", &StepRow::backward_ms},
     {"optimizer", "optimizer", &StepRow::optimizer_ms},
     {"exposed", "exposed communication", &StepRow::comm_exposed_ms}}};

// What PART took in each of STEPS within WINDOW that tells it, in ms.
std::vector<double> PartTimes(const std::vector<StepRow>& steps,
                              StepWindow window,
                              std::optional<double> StepRow::*part);

// Median ms of each part that any step of WINDOW tells, by term.
std::map<std::string, double> PartMedians(const std::vector<StepRow>& steps,
                                          StepWindow window);

}  // namespace zs::results

#endif  // RESULTS_REPORT_STEP_PARTS_H_
