"""runner stop: from another terminal, in each phase of a run."""
import json
import time
import unittest

from tests.e2e.harness import RunnerTest, experiment, sweep, train


def endless(name, **fields):
    return experiment(name, train=train(0, steps=100000), **fields)


class StopTest(RunnerTest):
    def stop(self, *words, code=0):
        return self.check_run(code, "stop", *words)

    def finish(self, process, code):
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, err)
        self.assert_nothing_left()
        return err

    def count(self, sql):
        try:
            return self.query(sql)[0][0]
        except Exception:  # not made yet
            return 0

    def wait_for_steps(self):
        self.wait_for(lambda: self.db.exists() and self.count("SELECT count(*) FROM steps") > 0)

    def test_nothing_at_work_is_said(self):
        _, err = self.stop(code=2)
        self.assertIn("no runner is at work", err)
        self.check_run(0, self.write("sweep.jsonnet", sweep(experiment("x0"))))
        _, err = self.stop(code=2)
        self.assertIn("no runner is at work", err)

    def test_by_default_the_experiment_at_hand_is_finished(self):
        path = self.write("sweep.jsonnet", sweep(
            experiment("x0", train=train(0, steps=1500, seq_len=64, micro_batch=4)), experiment("x1")))
        process = self.start(path)
        self.wait_for_steps()
        out, _ = self.stop("x0")
        self.assertIn("run 1 (x0): exited, pass", out)
        err = self.finish(process, 6)
        self.assertIn("1 not reached", err)
        self.assertEqual(self.query("SELECT verdict FROM runs"), [("pass",)])

    def test_now_stops_the_steps(self):
        process = self.start(self.write("sweep.jsonnet", sweep(endless("x0"), experiment("x1"))))
        self.wait_for_steps()
        _, err = self.stop("x1", code=2)
        self.assertIn("no run of 'x1'", err)
        out, _ = self.stop("--now", "1")
        self.assertIn("run 1 (x0): killed", out)
        self.finish(process, 143)

    def test_now_stops_a_start(self):
        topology = json.dumps({"nodes": ["localhost"], "ranks_per_node": 2})
        path = self.write("sweep.jsonnet", sweep(experiment(
            "x0", backend="'engine'", topology=topology, train=train(0, steps=100000))))
        process = self.start(path)
        self.wait_for(lambda: self.db.exists() and self.count("SELECT count(*) FROM runs") > 0)
        self.stop("--now")
        self.finish(process, 143)
        self.assertEqual(self.query("SELECT process FROM runs"), [("killed",)])

    def test_now_stops_before_a_run_while_nodes_are_checked(self):
        topology = json.dumps({"nodes": ["localhost"], "reach": ["sh", "-c", "sleep 2; exec sh", "{host}"]})
        process = self.start(self.write("sweep.jsonnet", sweep(experiment("x0", topology=topology))))
        self.wait_for(lambda: self.db.exists() and self.count("SELECT count(*) FROM sweeps") > 0)
        time.sleep(0.3)
        self.stop("--now")
        self.finish(process, 143)
        self.assertEqual(self.count("SELECT count(*) FROM steps"), 0)


if __name__ == "__main__":
    unittest.main()
