// The key of an experiment: what decides its result, in named parts. Equal
// keys mean that the result is known already; `Explain` says why two differ.
#ifndef RUNNER_PLAN_KEY_H_
#define RUNNER_PLAN_KEY_H_

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "runner/plan/spec/experiment.h"

namespace zs {

// The parts that the experiment file cannot tell; each is JSON (an object
// explains best) or any other text. What is empty is left out.
struct Surroundings {
  std::string engine;     // program or training tree: its content hash
  std::string data;       // content of the training data: DataFingerprint
  std::string software;   // versions on the nodes
  std::string hardware;   // of the nodes
  std::string inherited;  // variables that ranks have of where they start
  std::string files;      // content of files that other hosts alone have
  std::string unknown;    // what was asked for and not told
};

// The name of the part for Surroundings::unknown.
inline constexpr char kUnknownPart[] = "unknown";

struct Key {
  std::string hash;  // SHA-256 over the parts, hex
  std::map<std::string, std::string>
      parts;  // canonical JSON by name:
              // "specification", "environment", and those of Surroundings
};

// The key of EXPERIMENT. Its specification part holds what is asked of the
// engine and of which ranks; never its name, ports, host names, the place of
// files, limits, needs, repeats or expectations. Values of environment
// variables whose name speaks of a secret count by their hash alone.
Key MakeKey(const Experiment& experiment, const Surroundings& surroundings);

// VARIABLES as a part of a key: JSON, secrets by their hash alone.
std::string VariablesPart(const std::map<std::string, std::string>& variables);

// Adds what SURROUNDINGS has to KEY, in place of parts of that name.
void AddParts(const Surroundings& surroundings, Key& key);

// The hash of a key that consists of PARTS.
std::string HashOfParts(const std::map<std::string, std::string>& parts);

// One value that differs.
struct Difference {
  std::string path;    // "specification.train.micro_batch"
  std::string before;  // JSON; empty: it was not there
  std::string after;   // JSON; empty: it is gone
};

// What differs between the parts of two keys, in order of the paths.
std::vector<Difference> Explain(
    const std::map<std::string, std::string>& before,
    const std::map<std::string, std::string>& after);

// The same for what is known of AFTER so far: parts that it does not have are
// left out.
std::vector<Difference> ExplainKnown(
    std::map<std::string, std::string> before,
    const std::map<std::string, std::string>& after);

// "specification.train.micro_batch: 16 -> 8".
std::string ToString(const Difference& difference);

}  // namespace zs

#endif  // RUNNER_PLAN_KEY_H_
