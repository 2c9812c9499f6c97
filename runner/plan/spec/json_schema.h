// The JSON Schema of experiment documents, for editors: made from the same
// lists of fields that the reader uses.
#ifndef RUNNER_PLAN_SPEC_JSON_SCHEMA_H_
#define RUNNER_PLAN_SPEC_JSON_SCHEMA_H_

#include "base/json.h"

namespace zs {

// A schema of draft 2020-12. It says less than ReadSweep does: what a single
// field may hold, not what several mean together.
Json ExperimentJsonSchema();

}  // namespace zs

#endif  // RUNNER_PLAN_SPEC_JSON_SCHEMA_H_
