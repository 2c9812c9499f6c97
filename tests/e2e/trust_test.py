"""What must not pass: changed expectations, missing figures and ranks, gates that fail, decisions that are open."""
import json
import signal
import sqlite3
import unittest

from tests.e2e.harness import RunnerTest, kill, sweep

PATTERNS = (r"step_pattern: @'step (\d+)', step_ms_pattern: @'took (\d+) ms', tokens_pattern: @'tokens (\d+)', "
            r"loss_pattern: @'loss ([0-9.]+)'")


def command(name, script="true", patterns="", ranks=1, **fields):
    """The Jsonnet of an experiment that runs SCRIPT in a shell on each rank."""
    argv = json.dumps(["sh", "-c", script])
    values = {"name": f"'{name}'", "backend": "'command'", "command": f"{{ argv: {argv}, {patterns} }}",
              "topology": f"{{ ranks_per_node: {ranks} }}"} | fields
    return "{" + ", ".join(f"{key}: {value}" for key, value in values.items()) + "}"


def steps(last, ms=100, loss="1.5"):
    return f"for i in $(seq {last}); do echo step $i took {ms} ms tokens 100 loss {loss}; done"


class TrustTest(RunnerTest):
    def run_file(self, code, text, *words):
        path = self.write("sweep.jsonnet", text)
        return self.check_run(code, path, *words)[1]

    def counts(self):
        return dict(self.query("SELECT e.name, count(*) FROM runs r JOIN experiments e ON e.id = r.experiment_id GROUP BY 1"))

    def test_a_changed_expectation_is_judged_and_runs_again_where_it_fails(self):
        def text(**expect):
            return sweep(command("a", steps(5), PATTERNS, expect=json.dumps(expect)), command("b", needs="['a']"))
        self.run_file(0, text())
        self.assertIn("2 cached", self.run_file(0, text(min_tokens_per_s=1000)))  # 100 tokens in 100 ms
        path = self.write("sweep.jsonnet", text(min_tokens_per_s=1001))
        out, _ = self.check_run(0, "plan", path, "--format", "json")
        self.assertEqual(json.loads(out)["experiments"][0]["reason"],
                         "expect.min_tokens_per_s changed: 1000, at least 1001 (run 1)")
        _, err = self.check_run(1, path)
        self.assertIn("min_tokens_per_s: 1000, at least 1001", err)
        # A figure that the run never told.
        self.assertIn("a", self.run_file(1, text(max_mem_peak_bytes=10)))
        self.assertEqual(self.counts(), {"a": 3, "b": 1})
        self.assertIn("2 cached", self.run_file(0, text(max_step_time_ms=100)))

    def test_a_sentinel_that_fails_stops_who_needs_it(self):
        self.run_file(1, sweep(command("s", "false", sentinel="true"), command("x", needs="['s']"), command("y", needs="['s']")))
        self.assertEqual(self.counts(), {"s": 1})
        self.assertEqual(self.query("SELECT name FROM experiments WHERE not_run = 'need_failed'"), [("x",), ("y",)])

    def test_figures_are_of_one_rank_and_every_rank_must_get_as_far(self):
        script = f"if [ $RANK = 0 ]; then sleep 0.5; {steps(2, loss='0.5')}; else {steps(5, ms=1)}; fi"
        err = self.run_file(1, sweep(command("a", script, PATTERNS, ranks=2)))
        self.assertIn("rank 0 ended with step 2, rank 1 with step 5", err)
        self.assertEqual(self.query("SELECT measurement FROM runs"), [("incomplete",)])
        self.assertEqual(self.query("SELECT step, step_ms, loss FROM steps"), [(1, 100.0, 0.5), (2, 100.0, 0.5)])

    def test_a_pattern_that_never_matches_is_no_pass(self):
        for script, reason in [
            (steps(3).replace("loss", "Loss"), "command.loss_pattern matched no line"),
            (steps(3).replace("tokens", "Tokens"), "command.tokens_pattern matched no line"),
            (steps(3) + "; echo step 4 took 1 ms tokens 1 loss ?", "command.loss_pattern matched no number at the last step, 4"),
        ]:
            with self.subTest(reason):
                self.assertIn(reason, self.run_file(1, sweep(command("a", script, PATTERNS))))
        err = self.run_file(1, sweep(command("a", steps(3, loss="nan"), PATTERNS)))
        self.assertIn("step 1: loss nan", err)
        self.assertEqual(self.query("SELECT measurement FROM runs ORDER BY id DESC LIMIT 1"), [("invalid_loss",)])

    def undecided(self, most):
        """Two whose runs are in turn fast and slow, the one when the other is not: no interval gets narrow."""
        script = (f"n=$(cat {self.folder}/n_$NAME 2>/dev/null || echo $FIRST); echo $((n + 1)) >{self.folder}/n_$NAME; sleep 0.2; "
                  "for i in $(seq 20); do echo step $i took $((80 + n % 2 * 40 + i % 3)) ms tokens 100 loss 1.$i; done")
        return sweep(*(command(name, script, PATTERNS, repeats="2", until=f"{{ rel_ci: 0.0001, max: {most} }}",
                               env=f"{{ NAME: '{name}', FIRST: '{first}' }}") for name, first in (("z0", 0), ("z1", 1))))

    def runs(self):
        try:
            return sum(self.counts().values())
        except sqlite3.OperationalError:  # the record is being made
            return 0

    def test_what_is_undecided_goes_on_after_a_signal_and_when_more_is_allowed(self):
        path = self.write("sweep.jsonnet", self.undecided(5))
        process = self.start(path)
        self.wait_for(lambda: self.runs() >= 5)
        kill(process, signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertLess(self.runs(), 10)
        self.check_run(0, path)
        passes = "SELECT e.name, count(*) FROM runs r JOIN experiments e ON e.id = r.experiment_id WHERE r.verdict = 'pass' GROUP BY 1"
        self.assertEqual(dict(self.query(passes)), {"z0": 5, "z1": 5})
        self.assertIn("2 cached", self.check_run(0, path)[1])
        self.write("sweep.jsonnet", self.undecided(6))
        out, _ = self.check_run(0, "plan", path, "--format", "json")
        self.assertEqual(json.loads(out)["experiments"][0]["reason"], "undecided after 5 repeats, until.max 6")
        self.check_run(0, path)
        self.assertEqual(dict(self.query(passes)), {"z0": 6, "z1": 6})

    def test_what_needs_an_excluded_one_makes_the_sweep_incomplete(self):
        err = self.run_file(6, sweep(command("a"), command("off", exclude="'not today'"), command("b", needs="['off']")))
        self.assertIn("needs off, which is skipped (excluded)", err)

    def test_a_file_that_excludes_everything_says_why(self):
        path = self.write("sweep.jsonnet", sweep(
            command("a", exclude="'one reason'"), command("b", exclude="'another'"), command("c", exclude="'another'")))
        _, err = self.check_run(2, path)
        self.assertIn("nothing is left to run: one reason; another\n", err)
        out, _ = self.check_run(0, "plan", path)
        self.assertIn("one reason", out)

    def test_junit_without_a_folder_is_refused_first(self):
        err = self.run_file(2, sweep(command("a")), "--junit", self.folder / "none" / "j.xml")
        self.assertIn("there is no folder", err)
        self.assertFalse(self.db.exists())

    def test_a_bundle_is_compared_with_what_it_has(self):
        self.run_file(0, sweep(command("a"), command("b", topology="{ reach: ['env', 'NODE={host}'] }",
                                             checks="{ accept: ['leftovers'] }")))
        for name in ("a", "b"):
            self.check_run(0, "bundle", name, "-o", f"{name}.tar.zst")
            out, _ = self.check_run(0, "verify", f"{name}.tar.zst")
            self.assertIn("whole, and nothing differs here", out)

    def test_a_baseline_of_no_comparison_is_refused(self):
        self.run_file(0, sweep(command("a")))
        _, err = self.check_run(2, "report", "--baseline", "qq")
        self.assertIn("--baseline qq", err)


if __name__ == "__main__":
    unittest.main()
