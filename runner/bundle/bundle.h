// All about one run in one archive, and what of it holds elsewhere.
#ifndef RUNNER_BUNDLE_BUNDLE_H_
#define RUNNER_BUNDLE_BUNDLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "results/store/reader.h"
#include "runner/bundle/archive.h"

namespace zs {

// The files of the bundle of run RUN_ID: manifest.json (version, run, SHA-256
// of every other file), experiment.json (as evaluated), key.json (parts of the
// key), command.txt, environment.json, run.txt and run.json (what `show`
// prints), steps.csv, logs/*, and EXTRA. Secrets are masked in all of them. A
// log that is gone is named in the manifest. kNotFound for an unknown run.
Result<ArchiveFiles> BundleOf(const results::Reader& reader, int64_t run_id,
                              const std::string& runner_version,
                              const ArchiveFiles& extra);

struct BundleCheck {
  std::string experiment;
  std::string again;                     // the command that runs it
  std::vector<std::string> faults;       // the archive is not what was written
  std::vector<std::string> differences;  // "software.kernel: a -> b"
};

// FILES of a bundle against their manifest, its runner against RUNNER_VERSION,
// and the parts of its key against those HERE: parts that both have.
// kInvalidArgument where there is no manifest that can be read.
Result<BundleCheck> CheckBundle(const ArchiveFiles& files,
                                const std::string& runner_version,
                                const std::map<std::string, std::string>& here);

}  // namespace zs

#endif  // RUNNER_BUNDLE_BUNDLE_H_
