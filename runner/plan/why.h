// Where in an experiment file a value comes from.
#ifndef RUNNER_PLAN_WHY_H_
#define RUNNER_PLAN_WHY_H_

#include <string>
#include <vector>

#include "base/status.h"
#include "runner/plan/eval/request.h"

namespace zs {

// A place that defines a field of the name in question.
struct Origin {
  std::string file;
  int line = 0;      // from 1
  std::string text;  // of the line
  // True: without this definition the value is another, so it decides. False:
  // without it the file does not evaluate, so something reads it.
  bool decides = false;
  std::string without;  // the value without it, as JSON; "nothing", an error
};

struct Provenance {
  std::string value;            // as JSON; empty: the file gives none
  std::vector<Origin> origins;  // those that decide first
  int candidates = 0;           // definitions of such a field that were tried
};

// Where FIELD ("train.seq_len") of experiment NAME comes from. Every
// definition of a field of its last name in the file and its imports is taken
// away in turn, by another name for it, and the file evaluated again: a value
// that changes came from there. What Jsonnet computes a name for ([name]: ...)
// cannot be found so. kNotFound lists the experiments; errors of Evaluate.
Result<Provenance> FindOrigins(const EvalRequest& request,
                               const std::string& name,
                               const std::string& field);

}  // namespace zs

#endif  // RUNNER_PLAN_WHY_H_
