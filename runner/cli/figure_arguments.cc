#include "runner/cli/figure_arguments.h"

#include <string>
#include <vector>

namespace zs {
namespace {

void AddOutput(CLI::App& verb, Arguments& a, const std::string& what) {
  verb.add_option("-o,--output", a.output, what)->type_name("PATH");
}

void AddProfile(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand(
      "profile", "measure what this machine can do, for predictions");
  verb->footer("Example: runner profile, then: runner plan FILE");
  AddDb(*verb, a);
  verb->add_option("--name", a.figure.name, "the profile's name")
      ->capture_default_str();
  verb->add_flag("--rerun", a.rerun, "measure again what was measured before");
  AddOutput(*verb, a,
            "write it here (default: profile.json beside the "
            "database)");
  verb->callback([&a] { a.verb = Verb::kProfile; });
}

void AddPredict(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand(
      "predict", "say how fast a file's experiments would be on a cluster");
  verb->footer(
      "Example: runner predict experiments/sweep.jsonnet --only z1 "
      "--profile h200 --topology nodes=128,ranks_per_node=8");
  AddFile(*verb, a.file);
  AddDb(*verb, a);
  AddFormat(*verb, a);
  AddOnly(*verb, a);
  AddProfileOption(*verb, a);
  verb->add_option("--topology", a.figure.topology,
                   "nodes=N[,ranks_per_node=M]: up to so many nodes")
      ->required()
      ->type_name("nodes=N");
  verb->add_option("--network-gb-s", a.figure.network_gb_s,
                   "GB/s between nodes for each rank (default: the profile's)")
      ->check(CLI::PositiveNumber);
  verb->add_flag("--fixed-batch", a.figure.fixed_batch,
                 "keep the global batch (default: it grows with the ranks)");
  verb->callback([&a] { a.verb = Verb::kPredict; });
}

void AddCompareOptions(CLI::App& verb, Arguments& a) {
  verb.add_option("--compare", a.compare,
                  "experiments (default: the newest sweep, whole)")
      ->delimiter(',')
      ->type_name("A,B")
      ->allow_extra_args(false);
  verb.add_option("--sweep", a.sweep, "only sweeps of this name");
}

void AddServe(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand(
      "serve", "show the report as a page that follows a running sweep");
  verb->footer("Example: runner serve --sweep qwen3-zero");
  AddCompareOptions(*verb, a);
  AddDb(*verb, a);
  verb->add_option("--listen", a.figure.listen, "the address to listen at")
      ->capture_default_str();
  verb->add_option("--port", a.figure.port, "0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  verb->add_option("--refresh-s", a.figure.refresh_s,
                   "seconds between two looks of the page")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  verb->callback([&a] { a.verb = Verb::kServe; });
}

void AddExport(CLI::App& app, Arguments& a) {
  CLI::App* verb =
      app.add_subcommand("export", "the runs on record for another tool");
  verb->footer("Example: runner export --format mlflow -o mlruns");
  verb->add_option("--sweep", a.sweep, "only sweeps of this name");
  AddDb(*verb, a);
  verb->add_option("--format", a.format,
                   "openmetrics: text for Prometheus; mlflow: a folder of "
                   "MLflow's file store")
      ->required()
      ->check(CLI::IsMember({"openmetrics", "mlflow"}));
  AddOutput(*verb, a,
            "a file, or for mlflow a folder (default: stdout, "
            "mlruns)");
  verb->callback([&a] { a.verb = Verb::kExport; });
}

void AddBundle(CLI::App& app, Arguments& a) {
  CLI::App* verb =
      app.add_subcommand("bundle", "put all about a run into one archive");
  verb->footer("Example: runner bundle z1 -o z1.tar.zst");
  verb->add_option("RUN", a.run,
                   "a run's number, an experiment (its newest run), or last")
      ->required();
  AddDb(*verb, a);
  AddOutput(*verb, a, "the archive (default: run-N.tar.zst)");
  verb->callback([&a] { a.verb = Verb::kBundle; });
}

void AddVerify(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand(
      "verify", "whether an archive is whole, and what differs here");
  verb->footer("Example: runner verify z1.tar.zst");
  verb->add_option("BUNDLE", a.figure.path, "an archive of `bundle`")
      ->required();
  verb->callback([&a] { a.verb = Verb::kVerify; });
}

void AddWhy(CLI::App& app, Arguments& a) {
  CLI::App* verb = app.add_subcommand(
      "why", "where in the Jsonnet a value of an experiment comes from");
  verb->footer(
      "Example: runner why experiments/sweep.jsonnet z1 "
      "train.seq_len");
  AddFile(*verb, a.file);
  verb->add_option("NAME", a.name, "the experiment")->required();
  verb->add_option("FIELD", a.figure.path, "such as train.seq_len")->required();
  AddDb(*verb, a);
  verb->callback([&a] { a.verb = Verb::kWhy; });
}

}  // namespace

void AddProfileOption(CLI::App& app, Arguments& a) {
  app.add_option("--profile", a.figure.profile,
                 "the machine profile for predictions: a name of "
                 "experiments/profiles or a file")
      ->type_name("NAME|PATH");
}

void AddFigureVerbs(CLI::App& app, Arguments& a) {
  AddProfile(app, a);
  AddPredict(app, a);
  AddServe(app, a);
  AddExport(app, a);
  AddBundle(app, a);
  AddVerify(app, a);
  AddWhy(app, a);
}

}  // namespace zs
