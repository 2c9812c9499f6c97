"""Repeats, gates, baselines, budgets and the noise floor, with the real runner."""
import json
import unittest

from tests.e2e.harness import RunnerTest, experiment, sweep, train


def stage(name, number, **fields):
    return experiment(name, **({"train": train(number), "repeats": "2"} | fields))


class VerdictTest(RunnerTest):
    def report(self, code, *words):
        out, err = self.check_run(code, "report", *words, "--format", "json")
        return json.loads(out), err

    def test_repeats_are_interleaved_pooled_and_gated(self):
        text = sweep(stage("z0", 0), stage("z1", 1)).replace("schema: 1,", "schema: 1, seed: 7,")
        path = self.write("sweep.jsonnet", text)
        self.check_run(0, path)
        names = [name for (name,) in self.query(
            "SELECT e.name FROM runs r JOIN experiments e ON e.id = r.experiment_id ORDER BY r.id")]
        self.assertEqual([sorted(names[:2]), sorted(names[2:])], [["z0", "z1"], ["z0", "z1"]])
        self.assertEqual(self.query("SELECT seed FROM sweeps"), [(7,)])

        comparison, _ = self.report(0, "--compare", "z0,z1")
        z1 = comparison["experiments"][1]
        self.assertEqual(len(z1["runs"]), 2)
        self.assertEqual(z1["loss_check"]["text"], "same losses")
        self.assertIsNotNone(z1["ratio"]["run_noise"])

        # Whatever the speeds are, these hold or fail.
        self.report(0, "--compare", "z0,z1", "--fail-if", "z1 < 0.0001")
        _, err = self.report(3, "--compare", "z0,z1", "--fail-if", "z1 > 1e-30")
        self.assertIn("FAILS", err)
        out, _ = self.check_run(3, "report", "--compare", "z0,z1", "--fail-if", "z1 > 1e-30", "--format", "markdown", "--junit", "gates.xml")
        self.assertRegex(out, r"\| z1 \| z1 against z0: .*FAILS \|")
        self.assertIn('failures="1"', (self.folder / "gates.xml").read_text())
        self.check_run(2, "report", "--compare", "z0,z1", "--gate", "nan")
        self.check_run(2, "report", "--compare", "z0,z1", "--fail-if", "z9 < 1")

        self.check_run(2, "baseline", "promote", "z1")  # no reason
        out, _ = self.check_run(0, "baseline", "promote", "z1", "--reason", "first figures")
        self.assertIn("is the baseline of z1", out)
        self.report(4, "--compare", "z1", "--baseline", "promoted")  # nothing newer
        self.check_run(0, path, "--only", "z1", "--rerun")
        comparison, _ = self.report(0, "--compare", "z1", "--baseline", "promoted")
        self.assertEqual([e["name"].split("@")[0] for e in comparison["experiments"]], ["z1", "z1"])

    def test_unfair_pairs_are_refused_unless_even_so(self):
        path = self.write("sweep.jsonnet", sweep(
            stage("z0", 0, repeats="1"), experiment("z1", train=train(1, seq_len=32))))
        self.check_run(0, path)
        comparison, _ = self.report(4, "--compare", "z0,z1")
        self.assertIn("not compared, since train.seq_len differs", comparison["verdict"])
        comparison, _ = self.report(0, "--compare", "z0,z1", "--even-so")
        self.assertTrue(comparison["verdict"].startswith("NOT A FAIR COMPARISON"))

    def test_the_time_of_a_sweep_ends_it_with_124(self):
        slow = train(0, steps=100000)
        text = sweep(experiment("a", train=slow), experiment("b", train=slow))
        path = self.write("sweep.jsonnet", text.replace("schema: 1,", "schema: 1, total_s: 3,"))
        self.check_run(124, path)
        self.assertEqual(self.query("SELECT name, not_run FROM experiments WHERE not_run IS NOT NULL"), [("b", "budget")])
        self.assertEqual(self.query("SELECT exit_code FROM sweeps"), [(124,)])
        self.assert_nothing_left()

    def test_a_sentinel_frames_the_sweep(self):
        path = self.write("sweep.jsonnet", sweep(
            experiment("a"), experiment("s", sentinel="true", train=train(0, steps=10)), experiment("b", train=train(1))))
        self.check_run(0, path)
        names = [name for (name,) in self.query(
            "SELECT e.name FROM runs r JOIN experiments e ON e.id = r.experiment_id ORDER BY r.id")]
        self.assertEqual(names, ["s", "a", "s", "b", "s"])

    def test_a_machine_that_slows_down_is_named(self):
        """The sentinel's steps take 100 ms, and a fifth more with each of its runs."""
        count = self.folder / "count"
        count.write_text("0")
        script = (f"n=$(cat {count}); echo $((n + 1)) >{count}; "
                  "for i in $(seq 20); do echo step $i ms $((100 + 20 * n + i % 3)); done")
        sentinel = f"""{{
          name: 's', backend: 'command', sentinel: true, topology: {{ nodes: ['localhost'], ranks_per_node: 1 }},
          command: {{ argv: ['sh', '-c', {json.dumps(script)}], step_pattern: @'step (\d+)', step_ms_pattern: @'ms (\d+)' }},
        }}"""
        path = self.write("sweep.jsonnet", sweep(sentinel, stage("a", 0, repeats="1"), stage("b", 1, repeats="1")))
        _, err = self.check_run(0, path)
        self.assertIn("sentinel s: the machine drifts, step times (ms) 101.00, 121.00, 141.00 in order", err)
        self.assertEqual(self.query("SELECT code, run_id FROM findings WHERE code = 'sentinel_drift'"), [("sentinel_drift", None)])
        comparison, _ = self.report(0, "--compare", "a,b")
        self.assertTrue(comparison["verdict"].startswith("DRIFT: sentinel s"), comparison["verdict"])

    def test_repeats_are_spent_until_the_pair_is_decided(self):
        spend = "{ rel_ci: 0.0001, max: 3 }"
        path = self.write("sweep.jsonnet", sweep(stage("a", 0, until=spend), stage("b", 0, until=spend)))
        self.check_run(0, path)
        comparison, _ = self.report(0, "--compare", "a,b")
        a, b = comparison["experiments"]
        self.assertEqual(len(a["runs"]), len(b["runs"]))
        self.assertTrue(len(b["runs"]) == 3 or b["ratio"]["word"] != "UNDECIDED", b["ratio"])
        self.assertGreaterEqual(len(b["runs"]), 2)

    def test_a_gate_below_the_noise_floor_is_refused(self):
        path = self.write("sweep.jsonnet", sweep(stage("z0", 0, repeats="1"), stage("z1", 1, repeats="1")))
        out, _ = self.check_run(0, "calibrate", path, "--repeats", "3")
        self.assertIn("medians of 3 runs deviate by", out)
        self.assertEqual(self.query("SELECT runs, experiment FROM noise_floors"), [(3, "z0")])
        self.check_run(0, path)
        _, err = self.report(2, "--compare", "z0,z1", "--gate", "0.000001%")
        self.assertIn("below the noise of this cluster", err)

    def test_nothing_on_record_says_what_to_run(self):
        _, err = self.check_run(4, "report", "--compare", "z0,z1")
        self.assertIn("Run an experiment first", err)
        path = self.write("sweep.jsonnet", sweep(stage("z0", 0, repeats="1"), stage("z1", 1, repeats="1")))
        self.check_run(0, path, "--only", "z0")
        _, err = self.check_run(2, "report", "--compare", "z0,z9")
        self.assertIn("z9", err)


if __name__ == "__main__":
    unittest.main()
