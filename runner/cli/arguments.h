// The command line as plain data.
#ifndef RUNNER_CLI_ARGUMENTS_H_
#define RUNNER_CLI_ARGUMENTS_H_

#include <optional>
#include <string>
#include <vector>

#include "runner/plan/eval/request.h"

namespace zs {

// What an experiment file is evaluated with (jsonnet's own flags).
struct FileArguments {
  std::string file;
  std::vector<std::string> jpaths;  // -J
  NameValues ext_strs;              // -V, --ext-str
  NameValues ext_codes;             // --ext-code
  NameValues tla_strs;              // -A, --tla-str
  NameValues tla_codes;             // --tla-code
  double eval_s = 60;               // --eval-s: time that evaluation may take
};

enum class Verb {
  kRun,
  kPlan,
  kCheck,
  kExplain,
  kReport,
  kList,
  kShow,
  kLogs,
  kStop,
  kDiagnose,
  kImport,
  kProfile,
  kPredict,
  kServe,
  kExport,
  kBundle,
  kVerify,
  kWhy,
  kBaseline,
  kCalibrate,
};

// Of predictions, the live page, exports and bundles.
struct FigureArguments {
  std::string profile;               // --profile NAME|PATH: plan, run, predict
  std::string name;                  // profile --name
  std::string topology;              // predict --topology
  double network_gb_s = 0;           // predict --network-gb-s; 0: the profile's
  bool fixed_batch = false;          // predict --fixed-batch
  std::string listen = "127.0.0.1";  // serve --listen
  int port = 0;                      // serve --port
  int refresh_s = 3;                 // serve --refresh-s
  std::string path;                  // verify BUNDLE, why FIELD
};

struct Arguments {
  Verb verb = Verb::kRun;
  FileArguments file;             // run, plan, check, explain
  std::string db;                 // --db; empty: RUNNER_DB, results/results.db
  std::string format = "table";   // --format
  std::vector<std::string> only;  // --only: experiments, with their needs
  bool rerun = false;             // --rerun: what has passed is run again
  bool fail_fast = false;         // --fail-fast: nothing more after a failure
  bool dry_run = false;           // --dry-run
  std::string show;               // plan --show NAME
  std::string junit;              // --junit PATH
  double wait_s = 0;              // --wait: for another runner's database
  std::string name;               // explain NAME, import --name
  std::vector<std::string> compare;  // report --compare
  std::string baseline;              // report --baseline
  std::string sweep;                 // report, list --sweep
  std::string window;                // report --window FIRST-LAST
  std::string output;                // report -o
  bool even_so = false;              // report --even-so: compare though unfair
  std::string gate;                  // report --gate 3%
  std::vector<std::string> fail_if;  // report --fail-if 'z1 < 0.95'
  std::string reason;                // baseline promote --reason
  int repeats = 8;                   // calibrate --repeats
  std::string run;                   // show, logs, stop, baseline RUN
  bool now = false;                  // stop --now
  std::optional<int> rank;           // logs --rank
  std::optional<int> node;           // logs --node
  bool follow = false;               // logs -f
  std::vector<std::string> logs;     // diagnose, import LOG...
  std::vector<std::string> set;      // import --set NAME=VALUE
  FigureArguments figure;
};

// What to do with a command line: ARGUMENTS, or, where it asked for help or
// was wrong, print TEXT (help to stdout, faults to stderr) and exit.
struct ParsedArguments {
  std::optional<Arguments> arguments;
  std::string text;
  int exit_code = 0;
};

// Parses what follows the program's name. Without a verb it means `run`.
ParsedArguments ParseArguments(std::vector<std::string> words);

}  // namespace zs

#endif  // RUNNER_CLI_ARGUMENTS_H_
