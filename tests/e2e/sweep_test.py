"""The main job from start to end: run, compare, run again from the record."""
import json
import os
import time
import unittest

from tests.e2e.harness import RunnerTest, experiment, sweep, train

STAGES = sweep(*[experiment(f"z{stage}", train=train(stage), needs="[]") for stage in (0, 1, 2)])


class SweepTest(RunnerTest):
    def test_stages_pass_compare_equal_and_are_cached(self):
        path = self.write("sweep.jsonnet", STAGES)
        out, err = self.check_run(0, path)
        self.assertIn("3 passed, 0 failed", err)
        self.assertIn("z0", out)

        out, _ = self.check_run(0, "report", "--compare", "z0,z1,z2", "--format", "json")
        comparison = json.loads(out)
        by_name = {entry["name"]: entry for entry in comparison["experiments"]}
        self.assertEqual(sorted(by_name), ["z0", "z1", "z2"])
        for stage in (0, 1, 2):
            entry = by_name[f"z{stage}"]
            self.assertEqual(entry["zero_requested"], stage)
            self.assertEqual(entry["zero_effective"], stage)
            self.assertEqual(entry["world_size"], 2)
            self.assertEqual(entry["window"], {"first": 2, "last": 12})
            self.assertEqual(entry["final_loss"], by_name["z0"]["final_loss"])
            self.assertIs(entry["loss_equal"], None if stage == 0 else True)
            theory = entry["comm_theory_bytes_per_step"]
            self.assertAlmostEqual(entry["comm_bytes_per_step"] / theory, 1, delta=0.01)
        memory = {name: entry["mem_peak_bytes"] for name, entry in by_name.items()}
        self.assertAlmostEqual(memory["z1"]["optimizer"] / memory["z0"]["optimizer"], 0.5, delta=0.025)
        self.assertAlmostEqual(memory["z2"]["gradients"] / memory["z0"]["gradients"], 0.5, delta=0.025)

        start = time.monotonic()
        _, err = self.check_run(0, path)
        self.assertIn("3 cached", err)
        self.assertLess(time.monotonic() - start, 5)
        self.assertEqual(self.query("SELECT count(*) FROM runs"), [(3,)])
        self.assert_nothing_left()

    def test_what_was_selected_is_compared_whatever_its_names(self):
        path = self.write("sweep.jsonnet", sweep(
            *[experiment(name, train=train(stage), needs="[]") for name, stage in (("z0", 0), ("gpt_a", 0), ("gpt_b", 1))]))
        out, err = self.check_run(0, path, "--only", "gpt_*")
        self.assertIn("gpt_b is", out)
        self.assertNotIn("no experiment is called", err)
        out, _ = self.check_run(0, path, "--only", "gpt_a")
        self.assertEqual(out, "")

    def test_a_failed_need_skips_its_dependants_and_the_rest_goes_on(self):
        short = self.write("short.txt", "too short")
        path = self.write("sweep.jsonnet", sweep(
            experiment("bad", data=f"{{ kind: 'text', paths: ['{short}'] }}"),
            experiment("after", needs="['bad']"),
            experiment("good")))
        _, err = self.check_run(1, path)
        self.assertIn("1 passed, 1 failed, 0 cached, 1 skipped", err)
        self.assertIn("short.txt", err)
        rows = dict(self.query(
            "SELECT e.name, r.verdict FROM runs r JOIN experiments e ON e.id = r.experiment_id"))
        self.assertEqual(rows, {"bad": "fail", "good": "pass"})

    def test_a_checkpoint_is_proved_by_loading_it(self):
        path = self.write("sweep.jsonnet", sweep(
            experiment("z1", train=train(1), checkpoint="{ save_at_end: true, verify_load: true }")))
        self.check_run(0, path)
        self.assertEqual(
            self.query("SELECT name, status FROM checks WHERE run_id IS NOT NULL"), [("checkpoint.verify_load", "pass")])
        self.assertEqual(self.query("SELECT count(*) FROM runs"), [(1,)])

    def test_explain_says_what_changed(self):
        path = self.write("sweep.jsonnet", sweep(experiment("z0", train=train(0, steps=12))))
        self.check_run(0, path)
        self.write("sweep.jsonnet", sweep(experiment("z0", train=train(0, steps=13))))
        out, _ = self.check_run(0, "explain", path, "z0")
        self.assertIn("train.steps: 12 -> 13", out)

    def test_a_port_in_use_is_left_alone_and_another_is_taken(self):
        import socket
        with socket.socket() as holder:
            holder.bind(("0.0.0.0", 0))
            holder.listen()
            port = holder.getsockname()[1]
            path = self.write("sweep.jsonnet", sweep(experiment(
                "z0", topology=f"{{ nodes: ['localhost'], ranks_per_node: 2, master_port: {port} }}")))
            self.check_run(0, path)

    def test_logs_and_show_find_the_run(self):
        self.check_run(0, self.write("sweep.jsonnet", sweep(experiment("z0"))))
        out, _ = self.check_run(0, "logs", "z0", "--rank", "0")
        self.assertIn('"event":"step"', out)
        out, _ = self.check_run(0, "show", "z0")
        self.assertIn("pass", out)
        out, _ = self.check_run(0, "list", "--format", "csv")
        self.assertIn("z0", out)

    def test_junit_tells_ci(self):
        path = self.write("sweep.jsonnet", sweep(experiment("z0")))
        self.check_run(0, path, "--junit", self.folder / "junit.xml")
        self.assertIn("<testsuite", (self.folder / "junit.xml").read_text())


class NodeLogTest(RunnerTest):
    def test_the_log_of_a_node_has_time_rank_and_stream_and_is_compressed_in_the_end(self):
        path = self.write("sweep.jsonnet", sweep(experiment("x0")))
        self.check_run(0, path)
        folder = self.query("SELECT path FROM artifacts WHERE kind = 'folder'")[0][0]
        self.assertTrue(os.path.exists(f"{folder}/node0.log.zst"))
        self.assertFalse(os.path.exists(f"{folder}/node0.log"))
        out, _ = self.check_run(0, "logs", "x0", "--node", "0", "--rank", "1")
        lines = out.splitlines()
        self.assertRegex(lines[0], r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z 1 out \{')
        self.assertEqual({line.split(" ")[1] for line in lines}, {"1"})
        both, _ = self.check_run(0, "logs", "x0", "--node", "0")
        self.assertEqual({line.split(" ")[1] for line in both.splitlines()}, {"0", "1"})
        self.check_run(2, "logs", "x0", "--node", "3")
        # Each line once, though both kinds of logs are there.
        _, out, _ = self.run_runner("diagnose", folder, "--format", "json")
        self.assertNotIn("node0.log", out)


if __name__ == "__main__":
    unittest.main()
