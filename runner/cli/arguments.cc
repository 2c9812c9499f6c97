#include "runner/cli/arguments.h"

#include <algorithm>
#include <array>
#include <memory>

#include "CLI/CLI.hpp"
#include "base/files.h"
#include "runner/cli/figure_arguments.h"
#include "runner/cli/version.h"

namespace zs {
namespace {

// NAME=VALUE words of jsonnet's flags. Without '=' jsonnet takes the value from
// the environment; here that is an error, so that what a sweep depends on
// stands in its command line.
class NameValueOption {
 public:
  void Add(CLI::App& app, const std::string& flags, const std::string& what,
           NameValues& target) {
    app.add_option_function<std::vector<std::string>>(
           flags,
           [&target](const std::vector<std::string>& words) {
             for (const std::string& word : words) {
               const size_t equals = word.find('=');
               if (equals == std::string::npos || equals == 0) {
                 throw CLI::ValidationError("'" + word +
                                            "': expected NAME=VALUE");
               }
               target.emplace_back(word.substr(0, equals),
                                   word.substr(equals + 1));
             }
           },
           what)
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
  }
};

// NAME=FILE: the file's content is the value.
void AddFileValue(CLI::App& app, const std::string& flag,
                  const std::string& what, NameValues& target) {
  app.add_option_function<std::vector<std::string>>(
         flag,
         [&target](const std::vector<std::string>& words) {
           for (const std::string& word : words) {
             const size_t equals = word.find('=');
             if (equals == std::string::npos || equals == 0) {
               throw CLI::ValidationError("'" + word + "': expected NAME=FILE");
             }
             auto text = ReadFile(word.substr(equals + 1));
             if (!text.ok()) {
               throw CLI::ValidationError(text.status().message());
             }
             target.emplace_back(word.substr(0, equals), *std::move(text));
           }
         },
         what)
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
}

}  // namespace

void AddFile(CLI::App& app, FileArguments& file) {
  app.add_option("FILE", file.file, "the experiment file (Jsonnet)")
      ->required();
  app.add_option("-J,--jpath", file.jpaths, "a folder to import from")
      ->type_name("DIR")
      ->allow_extra_args(false);
  NameValueOption option;
  option.Add(app, "-V,--ext-str", "std.extVar as a string", file.ext_strs);
  option.Add(app, "--ext-code", "std.extVar as Jsonnet", file.ext_codes);
  AddFileValue(app, "--ext-str-file", "std.extVar as a file's content",
               file.ext_strs);
  option.Add(app, "-A,--tla-str", "an argument of the file's function",
             file.tla_strs);
  option.Add(app, "--tla-code", "the same as Jsonnet", file.tla_codes);
  AddFileValue(app, "--tla-str-file",
               "the same as a file's content (a hostfile)", file.tla_strs);
  app.add_option("--eval-s", file.eval_s,
                 "seconds that evaluating the file may take")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
}

void AddDb(CLI::App& app, Arguments& a) {
  app.add_option("--db", a.db,
                 "the database (default: $RUNNER_DB, else results/results.db "
                 "below this folder)")
      ->type_name("PATH");
}

void AddFormat(CLI::App& app, Arguments& a, std::vector<std::string> formats) {
  app.add_option("--format", a.format, "how it is printed")
      ->check(CLI::IsMember(std::move(formats)))
      ->capture_default_str();
}

void AddOnly(CLI::App& app, Arguments& a) {
  app.add_option("--only", a.only,
                 "these experiments and what they need (names or patterns)")
      ->delimiter(',')
      ->type_name("A,B")
      ->allow_extra_args(false);
  app.add_flag("--rerun", a.rerun, "run again what has passed before");
}

namespace {

void AddRun(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand(
      "run", "carry out the experiments of a file (the default verb)");
  verb->footer("Example: runner experiments/sweep.jsonnet --only z0,z1");
  AddFile(*verb, a.file);
  AddDb(*verb, a);
  AddOnly(*verb, a);
  AddProfileOption(*verb, a);
  verb->add_flag("--fail-fast", a.fail_fast,
                 "start nothing more after a failure");
  verb->add_flag("--dry-run", a.dry_run,
                 "print each rank's command and environment, start nothing");
  verb->add_option("--junit", a.junit, "write the outcome as JUnit XML")
      ->type_name("PATH");
  verb->add_option("--wait", a.wait_s,
                   "seconds to wait for another runner's database")
      ->check(CLI::NonNegativeNumber);
  verb->callback([&a] { a.verb = Verb::kRun; });
}

void AddPlan(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand(
      "plan", "show what would be run, why, and what it needs");
  verb->footer("Example: runner plan experiments/four_nodes.jsonnet --show z1");
  AddFile(*verb, a.file);
  AddDb(*verb, a);
  AddFormat(*verb, a);
  AddOnly(*verb, a);
  AddProfileOption(*verb, a);
  verb->add_option("--show", a.show,
                   "print this experiment's command and environment for each "
                   "rank")
      ->type_name("NAME");
  verb->callback([&a] { a.verb = Verb::kPlan; });
}

void AddCheck(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand(
      "check", "look whether the nodes are fit for a file's experiments");
  verb->footer("Example: runner check experiments/four_nodes.jsonnet");
  AddFile(*verb, a.file);
  AddDb(*verb, a);
  AddFormat(*verb, a);
  AddOnly(*verb, a);
  verb->callback([&a] { a.verb = Verb::kCheck; });
}

void AddExplain(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand(
      "explain", "say why an experiment would be run again: what changed");
  verb->footer("Example: runner explain experiments/sweep.jsonnet z1");
  AddFile(*verb, a.file);
  verb->add_option("NAME", a.name, "the experiment")->required();
  AddDb(*verb, a);
  verb->callback([&a] { a.verb = Verb::kExplain; });
}

void AddReport(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand("report",
                                      "compare experiments: which is best, by "
                                      "how much, and how sure that is");
  verb->footer("Example: runner report --compare z0,z1,z2 --format markdown");
  verb->add_option("--compare", a.compare,
                   "names, beginnings of names or patterns; the first is the "
                   "baseline")
      ->delimiter(',')
      ->type_name("A,B")
      ->allow_extra_args(false);
  verb->add_option("--baseline", a.baseline,
                   "compare with this one; `promoted`: each with its promoted "
                   "run")
      ->type_name("NAME");
  verb->add_option("--sweep", a.sweep, "only sweeps of this name");
  verb->add_option("--window", a.window,
                   "the steps to use (default: all after the warm-up)")
      ->type_name("FIRST-LAST");
  verb->add_flag("--even-so", a.even_so,
                 "compare speeds though conditions or losses differ");
  verb->add_option("--gate", a.gate,
                   "end with 3 where an experiment is slower than its baseline "
                   "by more than this")
      ->type_name("PERCENT");
  verb->add_option("--fail-if", a.fail_if,
                   "end with 3 where this holds for sure: 'z1 < 0.95'")
      ->type_name("CONDITION")
      ->allow_extra_args(false);
  verb->add_option("--junit", a.junit, "write what the gates say as JUnit XML")
      ->type_name("PATH");
  verb->add_option("-o,--output", a.output, "write to this file")
      ->type_name("PATH");
  AddDb(*verb, a);
  AddFormat(*verb, a, {"table", "markdown", "csv", "json", "html"});
  verb->callback([&a] { a.verb = Verb::kReport; });
}

void AddCalibrate(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand(
      "calibrate",
      "run one experiment against itself and keep this cluster's noise floor");
  verb->footer("Example: runner calibrate experiments/sweep.jsonnet --only z0");
  AddFile(*verb, a.file);
  AddDb(*verb, a);
  verb->add_option("--only", a.only, "the experiment (default: z0)")
      ->type_name("NAME");
  verb->add_option("--repeats", a.repeats, "runs of it")
      ->check(CLI::Range(3, 1000))
      ->capture_default_str();
  verb->add_option("--wait", a.wait_s,
                   "seconds to wait for another runner's database")
      ->check(CLI::NonNegativeNumber);
  verb->callback([&a] { a.verb = Verb::kCalibrate; });
}

void AddBaseline(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand(
      "baseline", "make a run the one that later ones are measured against");
  verb->require_subcommand(1);
  CLI::App* promote = verb->add_subcommand("promote", "record that, and why");
  promote->footer(
      "Example: runner baseline promote z1 --reason 'NCCL 2.28, new switch'");
  promote
      ->add_option("RUN", a.run,
                   "a run's number, an experiment (its newest run), or last")
      ->required();
  promote->add_option("--reason", a.reason, "why, for those who come later")
      ->required()
      ->type_name("TEXT");
  AddDb(*promote, a);
  promote
      ->add_option("--wait", a.wait_s,
                   "seconds to wait for another runner's database")
      ->check(CLI::NonNegativeNumber);
  promote->callback([&a] { a.verb = Verb::kBaseline; });
}

void AddList(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand("list", "the runs on record");
  verb->footer("Example: runner list --sweep qwen3-zero");
  verb->add_option("--sweep", a.sweep, "only sweeps of this name");
  AddDb(*verb, a);
  AddFormat(*verb, a);
  verb->callback([&a] { a.verb = Verb::kList; });
}

void AddShow(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand("show", "all about one run");
  verb->footer("Example: runner show 12, or: runner show z1");
  verb->add_option("RUN", a.run,
                   "a run's number, an experiment (its newest run), or last")
      ->required();
  AddDb(*verb, a);
  AddFormat(*verb, a);
  verb->callback([&a] { a.verb = Verb::kShow; });
}

void AddLogs(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand("logs", "what the ranks of a run wrote");
  verb->footer(
      "Example: runner logs z1 --rank 0 -f, or: runner logs z1 --node 2");
  verb->add_option("RUN", a.run,
                   "a run's number, an experiment (its newest run), or last")
      ->required();
  verb->add_option("--rank", a.rank, "only this rank")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--node", a.node,
                   "the lines of this node's ranks (0 is the first node), with "
                   "time, rank and stream")
      ->check(CLI::NonNegativeNumber);
  verb->add_flag("-f,--follow", a.follow, "go on until the run ends");
  AddDb(*verb, a);
  verb->callback([&a] { a.verb = Verb::kLogs; });
}

void AddStop(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand(
      "stop", "ask the runner at work to end after its experiment");
  verb->footer("Example: runner stop, or at once: runner stop --now");
  verb->add_option("RUN", a.run,
                   "only if this run, or a run of this experiment, is at work");
  verb->add_flag("--now", a.now, "stop the experiment too");
  AddDb(*verb, a);
  verb->callback([&a] { a.verb = Verb::kStop; });
}

void AddDiagnose(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand(
      "diagnose", "say what happened in logs of any origin, and why");
  verb->footer("Example: runner diagnose artifacts/logs/qwen3_node*.log");
  verb->add_option("LOG", a.logs,
                   "files, folders of whole runs, or - for standard input")
      ->required();
  AddFormat(*verb, a, {"table", "json"});
  verb->callback([&a] { a.verb = Verb::kDiagnose; });
}

void AddImport(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand(
      "import", "bring runs from elsewhere, by their logs, into the database");
  verb->footer(
      "Example: runner import /apps/logs/z1_node*.log --name z1 --set "
      "zero_stage=1\nSettings: zero_stage, model, micro_batch, global_batch, "
      "seq_len, steps, warmup_steps, ranks_per_node.");
  verb->add_option("LOG", a.logs,
                   "files, folders of whole runs, or - for standard input")
      ->required();
  verb->add_option("--name", a.name, "of the experiment (the logs' own)");
  verb->add_option("--sweep", a.sweep, "name of the sweep that it belongs to");
  verb->add_option("--set", a.set, "what the logs do not say")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  AddDb(*verb, a);
  AddFormat(*verb, a, {"table", "json"});
  verb->callback([&a] { a.verb = Verb::kImport; });
}

constexpr std::array<std::string_view, 20> kVerbs = {
    "run",    "plan",   "check",    "explain",  "report",    "list",  "show",
    "logs",   "stop",   "diagnose", "profile",  "predict",   "serve", "export",
    "bundle", "verify", "why",      "baseline", "calibrate", "import"};

// Puts `run` first where no verb stands there.
void AddDefaultVerb(std::vector<std::string>& words) {
  if (words.empty()) {
    return;
  }
  const std::string& first = words.front();
  const bool top_level =
      first == "-h" || first == "--help" || first == "--version";
  if (!top_level &&
      std::find(kVerbs.begin(), kVerbs.end(), first) == kVerbs.end()) {
    words.insert(words.begin(), "run");
  }
}

}  // namespace

ParsedArguments ParseArguments(std::vector<std::string> words) {
  Arguments a;
  CLI::App app(
      "zerosweep: which ZeRO stage on which topology is best, with evidence",
      "runner");
  app.set_version_flag("--version", std::string("zerosweep ") + kRunnerVersion);
  app.footer(
      "Example: runner experiments/sweep.jsonnet\n"
      "         runner report --compare z0,z1,z2\n"
      "Exit codes: 0 all pass; 1 an experiment failed; 2 wrong request, "
      "nothing started;\n3 regression; 4 nothing measured; 5 checks failed; "
      "6 incomplete; 124 total time; 130, 143 signals.");
  app.require_subcommand(1);
  AddRun(app, a);
  AddPlan(app, a);
  AddCheck(app, a);
  AddExplain(app, a);
  AddReport(app, a);
  AddBaseline(app, a);
  AddCalibrate(app, a);
  AddList(app, a);
  AddShow(app, a);
  AddLogs(app, a);
  AddStop(app, a);
  AddDiagnose(app, a);
  AddImport(app, a);
  AddFigureVerbs(app, a);
  AddDefaultVerb(words);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& e) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = app.exit(e, out, err);
    return {.text = out.str() + err.str(), .exit_code = code == 0 ? 0 : 2};
  }
  return {.arguments = std::move(a)};
}

}  // namespace zs
