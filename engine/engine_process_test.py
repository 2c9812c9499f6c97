"""The engine as processes: how each way to end looks from outside."""

import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import unittest

ENGINE = os.path.abspath("engine/engine")

MODEL = dict(
    name="tiny", layers=2, hidden=32, heads=2, kv_heads=1, head_size=16, ffn=64, vocab=256, max_seq_len=32,
    norm="rmsnorm", position="rope", activation="swiglu")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class EngineProcessTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.config = {
            "schema": 1, "experiment": "test", "device": "cpu", "model": dict(MODEL),
            "data": {"kind": "random", "paths": []},
            "train": {"zero_stage": 1, "micro_batch": 1, "global_batch": 6, "seq_len": 16, "steps": 5, "lr": 1e-3,
                      "lr_schedule": "constant"},
            "threads_per_rank": 1, "collective_timeout_s": 5}

    def start(self, world_size=1, **kwargs):
        path = self.folder.name + "/config.json"
        with open(path, "w") as out:
            json.dump(self.config, out)
        env = dict(os.environ, WORLD_SIZE=str(world_size), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()))
        ranks = []
        for rank in range(world_size):
            process = subprocess.Popen(
                [ENGINE, "--config", path], env=dict(env, RANK=str(rank)), text=True,
                **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **kwargs})
            self.addCleanup(self.end, process)
            ranks.append(process)
        return ranks

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe:
                pipe.close()

    def finish(self, ranks, timeout_s=30):
        """(exit status, events, stderr) of each."""
        ends = []
        for process in ranks:
            out, err = process.communicate(timeout=timeout_s)
            ends.append((process.returncode, [json.loads(line) for line in out.splitlines()], err))
        return ends

    def run_for_ever(self, world_size):
        """Ranks that train until something happens; returns once they train."""
        self.config["train"]["steps"] = 10**6
        ranks = self.start(world_size)
        while '"step"' not in ranks[0].stdout.readline():
            self.assertIsNone(ranks[0].poll())
        return ranks

    def test_trains_and_ends_alike_on_all_ranks(self):
        ends = self.finish(self.start(2))
        self.assertEqual([status for status, _, _ in ends], [0, 0])
        kinds = [[event["event"] for event in events] for _, events, _ in ends]
        self.assertEqual(kinds, [["start"] + ["step"] * 5 + ["memory", "end"], ["start", "memory", "end"]])
        self.assertEqual(ends[0][1][-1]["parameters_sha256"], ends[1][1][-1]["parameters_sha256"])

    def test_killed_rank_is_named_by_the_others(self):
        ranks = self.run_for_ever(3)
        ranks[2].kill()
        start = time.monotonic()
        ends = self.finish(ranks[:2])
        self.assertLess(time.monotonic() - start, 2 * 5)
        for status, events, _ in ends:
            self.assertEqual(status, 67)
            self.assertEqual(events[-1]["code"], "peer_lost")
            self.assertIn("rank 2", events[-1]["message"])

    def test_stopped_rank_is_named_within_twice_the_timeout(self):
        ranks = self.run_for_ever(2)
        ranks[1].send_signal(signal.SIGSTOP)
        start = time.monotonic()
        status, events, _ = self.finish(ranks[:1])[0]
        self.assertLess(time.monotonic() - start, 2 * 5)
        self.assertEqual(status, 67)
        self.assertIn("rank 1", events[-1]["message"])

    def test_sigterm_is_a_cause_of_its_own(self):
        ranks = self.run_for_ever(2)
        for process in ranks:
            process.terminate()
        for status, events, _ in self.finish(ranks):
            self.assertEqual(status, 75)
            self.assertIn("SIGTERM", events[-1]["message"])

    def test_sigterm_ends_a_rank_that_waits_for_another(self):
        self.config["collective_timeout_s"] = 100
        ranks = self.run_for_ever(2)
        ranks[1].send_signal(signal.SIGSTOP)
        ranks[0].terminate()
        status, events, _ = self.finish(ranks[:1])[0]
        self.assertEqual(status, 75)
        self.assertEqual(events[-1]["code"], "cancelled")

    def test_closed_stdout_ends_the_training(self):
        self.config["train"]["steps"] = 10**6
        process = self.start(1)[0]
        process.stdout.close()
        process.stdout = None
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 75)
        self.assertIn("stdout is closed", err)

    def test_missing_peer_is_a_failed_rendezvous(self):
        self.config["collective_timeout_s"] = 1
        ranks = self.start(2)
        ranks[1].kill()
        status, events, _ = self.finish(ranks[:1])[0]
        self.assertIn(status, (66, 67))  # 67 where it was there for a moment
        self.assertIn("rank 1", events[-1]["message"])

    def test_bad_configuration_lists_every_fault(self):
        self.config["model"]["kv_heads"] = 3
        self.config["train"]["seq_len"] = 99
        self.config["train"]["global_batch"] = 7
        self.config["train"]["micro_batch"] = 2
        status, events, err = self.finish(self.start(1))[0]
        self.assertEqual(status, 64)
        for part in ("kv_heads", "seq_len", "global_batch"):
            self.assertIn(part, events[-1]["message"])
            self.assertIn(part, err)

    def test_collectives_of_one_gpu_are_refused(self):
        self.config = {"schema": 1, "experiment": "links", "device": "cuda",
                       "collectives": {"ops": ["all_reduce"], "min_bytes": 8, "max_bytes": 64}}
        status, events, err = self.finish(self.start(1))[0]
        self.assertEqual(status, 64)
        for text in (events[-1]["message"], err):
            self.assertIn("collectives", text)
            self.assertIn("at least 2 ranks", text)

    def test_collectives_of_one_cpu_rank_are_measured(self):
        self.config = {"schema": 1, "experiment": "links", "device": "cpu",
                       "collectives": {"ops": ["all_reduce"], "min_bytes": 8, "max_bytes": 64, "iterations": 1}}
        status, events, err = self.finish(self.start(1))[0]
        self.assertEqual(status, 0, err)
        self.assertEqual(sum(event["event"] == "collective" and event["wrong"] for event in events), 0)

    def test_damaged_configuration(self):
        for text in ("", "{", "[]", "null", '{"schema": 1}', "\xff"):
            path = self.folder.name + "/bad.json"
            with open(path, "w", encoding="latin-1") as out:
                out.write(text)
            done = subprocess.run([ENGINE, "--config", path], capture_output=True, timeout=30)
            self.assertEqual(done.returncode, 64, text)
            self.assertIn(b"bad.json", done.stderr)

    def test_wrong_data_is_named(self):
        self.config["data"] = {"kind": "text", "paths": ["/nonexistent/text"]}
        status, events, _ = self.finish(self.start(1))[0]
        self.assertEqual(status, 65)
        self.assertIn("data.paths[0]", events[-1]["message"])
        self.assertIn("/nonexistent/text", events[-1]["message"])

    def test_help_and_version(self):
        for flag, part in (("--help", "RANK=1 engine --config"), ("--version", "zerosweep engine")):
            done = subprocess.run([ENGINE, flag], capture_output=True, text=True, timeout=30)
            self.assertEqual(done.returncode, 0)
            self.assertIn(part, done.stdout)
        self.assertEqual(subprocess.run([ENGINE, "--frob"], capture_output=True, timeout=30).returncode, 64)


if __name__ == "__main__":
    unittest.main()
