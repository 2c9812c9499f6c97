"""Nothing is lost or left behind: kill -9, Ctrl-C, two runners at once."""
import os
import random
import signal
import time
import unittest

from tests.e2e.harness import RunnerTest, experiment, kill, sweep, train

# ZS_KILLS: how often the runner is killed (20 for the full proof).
KILLS = int(os.environ.get("ZS_KILLS", "4"))


def slow(name, steps=200, seed=1, **fields):
    """An experiment of about a second; names are not in a key, seeds are."""
    return experiment(name, train=train(0, steps=steps, seq_len=64, micro_batch=4, seed=seed), **fields)


class CrashTest(RunnerTest):
    def test_a_killed_runner_leaves_nothing_and_resumes_without_loss(self):
        generator = random.Random(7)
        path = self.write("sweep.jsonnet", sweep(*[slow(f"x{i}", steps=60, seed=i) for i in range(3)]))
        for _ in range(KILLS):
            process = self.start(path)
            time.sleep(generator.uniform(0.05, 1.5))
            kill(process)
            process.communicate()
            self.assert_nothing_left()
            if self.db.exists():
                self.assert_database_is_whole()
        self.check_run(0, path)
        rows = self.query(
            "SELECT e.name, count(*) FROM runs r JOIN experiments e ON e.id = r.experiment_id "
            "WHERE r.measurement = 'valid' AND r.verdict = 'pass' GROUP BY e.name ORDER BY e.name")
        self.assertEqual(rows, [("x0", 1), ("x1", 1), ("x2", 1)])
        self.assertEqual(self.query("SELECT count(*) FROM runs WHERE process IS NULL"), [(0,)])

    def wait_until_running(self):
        self.wait_for(lambda: self.db.exists() and self.steps() > 0)

    def steps(self):
        try:
            return self.query("SELECT count(*) FROM steps")[0][0]
        except Exception:  # not made yet
            return 0

    def test_one_interrupt_ends_after_the_experiment(self):
        path = self.write("sweep.jsonnet", sweep(slow("x0", steps=1500), slow("x1")))
        process = self.start(path)
        self.wait_until_running()
        kill(process, signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(self.query("SELECT verdict FROM runs"), [("pass",)])

    def test_two_interrupts_stop_at_once(self):
        path = self.write("sweep.jsonnet", sweep(slow("x0", steps=100000), slow("x1")))
        process = self.start(path)
        self.wait_until_running()
        kill(process, signal.SIGINT)
        time.sleep(0.2)
        kill(process, signal.SIGINT)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(self.query("SELECT process FROM runs"), [("killed",)])
        self.assert_nothing_left()

    def test_a_second_runner_says_who_holds_the_database(self):
        path = self.write("sweep.jsonnet", sweep(slow("x0", steps=100000)))
        process = self.start(path)
        self.wait_until_running()
        _, err = self.check_run(2, path)
        self.assertIn(str(process.pid), err)
        kill(process, signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 143)
        self.assert_nothing_left()

    def test_a_stopped_rank_is_a_hang_that_names_it(self):
        path = self.write("sweep.jsonnet", sweep(slow("x0", steps=100000, limits="{ hang_s: 1 }"), experiment("x1")))
        process = self.start(path)
        self.wait_until_running()
        ranks = {}
        for pid, command in self.our_processes():
            if "engine --config" in command:
                environ = open(f"/proc/{pid}/environ", "rb").read().split(b"\0")
                ranks[next(e for e in environ if e.startswith(b"RANK="))] = pid
        os.kill(ranks[b"RANK=1"], signal.SIGSTOP)
        _, err = process.communicate(timeout=90)
        self.assertEqual(process.returncode, 1, err)
        (state, reason), _ = self.query("SELECT process, process_reason FROM runs ORDER BY id")
        self.assertEqual(state, "hung")
        self.assertIn("suspect: rank 1 on localhost is stopped (state T", reason)
        findings = dict(self.query("SELECT rank, message FROM findings WHERE code = 'rank_state'"))
        self.assertIn("waits in ", findings[0])
        self.assertEqual(self.query("SELECT rank FROM findings WHERE code = 'hang_suspect'"), [(1,)])
        (evidence,) = self.query("SELECT path FROM artifacts WHERE kind = 'evidence'")[0]
        self.assertIn("=== node localhost", open(evidence).read())
        self.assertEqual(self.query("SELECT clean FROM nodes ORDER BY run_id"), [(1,), (1,)])
        self.assert_nothing_left()

    def test_a_killed_rank_fails_the_run_and_the_next_one_passes(self):
        path = self.write("sweep.jsonnet", sweep(slow("x0", steps=100000), experiment("x1")))
        process = self.start(path)
        self.wait_until_running()
        (pid,) = self.query("SELECT pid FROM ranks WHERE rank = 1")[0] if self.query("SELECT 1 FROM ranks") else (None,)
        if pid is None:
            pid = next(p for p, command in self.our_processes() if "engine --config" in command)
        os.kill(pid, signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn("SIGKILL", err)
        verdicts = dict(self.query(
            "SELECT e.name, r.verdict FROM runs r JOIN experiments e ON e.id = r.experiment_id"))
        self.assertEqual(verdicts, {"x0": "fail", "x1": "pass"})
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
