"""Secrets: the rank gets the true value, and no database, plan, report, page, export, bundle or log of the runner has it."""
import subprocess
import unittest

from tests.e2e.harness import RunnerTest, sweep

OF_ENVIRONMENT = "canary-env-5f1d3c"
OF_ARGUMENT = "canary-arg-9b72e0"
OF_NEXT_ARGUMENT = "canary-next-c4a817"
CANARIES = (OF_ENVIRONMENT, OF_ARGUMENT, OF_NEXT_ARGUMENT)

# Writes what it got into a file, and all of it into its log, in one piece and in two.
RANK = """
printf '%s|%s' "$HF_TOKEN" "$*" >got-$RANK.txt
for step in 1 2 3 4 5 6; do echo "step $step loss 2.5, 12.$step ms"; done
echo "connecting with $HF_TOKEN and $*" >&2
printf '%s' "${HF_TOKEN%???}"; sleep 0.3; printf '%s\\n' "${HF_TOKEN#"${HF_TOKEN%???}"}"
echo "HF_TOKEN=$HF_TOKEN"
exit $1
"""

FILE = sweep("""{
  name: 'x', backend: 'command', topology: { nodes: ['localhost'], ranks_per_node: 2 },
  env: { HF_TOKEN: '%s' }, limits: { total_s: 60 },
  command: { argv: ['sh', '%%s', '%%s', '--api-key=%s', '--password', '%s'],
    step_pattern: @'step (\\d+)', loss_pattern: @'loss ([\\d.]+)', step_ms_pattern: @'([\\d.]+) ms' },
}""" % CANARIES)


class SecretsTest(RunnerTest):
    def files_with_a_canary(self, given):
        """All that the runner has written, the files that the test gave it aside."""
        found = []
        for path in self.folder.rglob("*"):
            if path.is_file() and path not in given:
                content = path.read_bytes()
                if path.suffix == ".zst":
                    content = subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout
                found += [f"{path}: {canary}" for canary in CANARIES if canary.encode() in content]
        return found

    def attempt(self, code):
        script = self.folder / "rank.sh"
        script.write_text(RANK)
        file = self.folder / "sweep.jsonnet"
        file.write_text(FILE % (script, code))
        said = [self.check_run(0, "plan", file, "--show", "x"), self.check_run(0, "check", file),
                self.check_run(0, "run", file, "--dry-run"),
                self.check_run(1 if code else 0, "run", file, "--junit", "junit.xml")]
        got = [path for path in self.folder.rglob("got-*.txt")]
        self.assertEqual(len(got), 2)
        for path in got:
            self.assertEqual(
                path.read_text(),
                f"{OF_ENVIRONMENT}|{code} --api-key={OF_ARGUMENT} --password {OF_NEXT_ARGUMENT}")
        said += self.ask(file, code)
        for out, err in said:
            for canary in CANARIES:
                self.assertNotIn(canary, out)
                self.assertNotIn(canary, err)
        self.assertEqual(self.files_with_a_canary([script, file, *got]), [])

    def ask(self, file, code):
        verbs = [("show", "x"), ("list",), ("logs", "x", "--rank", "0"), ("logs", "x"), ("why", file, "x", "backend"),
                 ("export", "--format", "mlflow", "-o", "mlruns"), ("export", "--format", "openmetrics"),
                 ("bundle", "x", "-o", "run.tar.zst")]
        if code == 0:
            verbs += [("report", "--compare", "x", "--format", kind) for kind in ("table", "markdown", "csv", "json")]
            verbs += [("report", "--compare", "x", "--format", "html", "-o", "report.html")]
        said = []
        for verb in verbs:
            ended, out, err = self.run_runner(*verb)
            self.assertEqual(ended, 0, f"{verb}: {out}{err}")
            said.append((out, err))
        return said

    def test_a_run_that_passes(self):
        self.attempt(0)

    def test_a_run_that_fails(self):
        self.attempt(3)


if __name__ == "__main__":
    unittest.main()
