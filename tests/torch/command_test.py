"""The command backend with a real PyTorch program: figures, and failures by their root cause."""
import json
import os
import shutil
import unittest

from tests.e2e.harness import RunnerTest, sweep, two_nodes

TRAIN = os.path.abspath("tests/torch/train.py")
PYTHON = "/usr/bin/python3"
PATTERNS = r"""step_pattern: @'step (\d+) \|', loss_pattern: @'loss (\S+)', step_ms_pattern: @'([\d.]+) ms',
  tokens_pattern: @'(\d+) tokens'"""
TWO_NODES = two_nodes(1)
ONE_NODE = "{ nodes: ['localhost'], ranks_per_node: 2 }"


def has_torch():
    return shutil.which("torchrun") is not None and os.system(f"{PYTHON} -c 'import torch' 2>/dev/null") == 0


def command(name, argv, topology=ONE_NODE, torchrun=False, limits="{ total_s: 240 }", patterns=PATTERNS):
    return f"""{{
  name: '{name}', backend: 'command', topology: {topology}, limits: {limits},
  env: {{ GLOO_SOCKET_IFNAME: 'lo', OMP_NUM_THREADS: '1' }},
  command: {{ argv: {json.dumps(argv)}, torchrun: {json.dumps(torchrun)}, {patterns} }},
}}"""


@unittest.skipUnless(has_torch(), "needs torchrun and PyTorch (python3-torch)")
class CommandTest(RunnerTest):
    def run_one(self, code, experiment):
        path = self.write("sweep.jsonnet", sweep(experiment))
        return self.check_run(code, path, timeout=280)

    def root(self):
        """(code, rank, message) of the first finding, and the run's reason"""
        finding = self.query("SELECT code, rank, message FROM findings WHERE severity = 'error' ORDER BY id LIMIT 1")
        reason = self.query("SELECT process_reason FROM runs")[0][0]
        return finding[0], reason

    @unittest.skipUnless(TWO_NODES, "needs an address that is no loopback")
    def test_two_nodes_under_torchrun_pass_with_their_figures(self):
        self.run_one(0, command("ddp", [TRAIN], TWO_NODES, torchrun=True))
        rows = self.query("SELECT step, loss, step_ms, tokens FROM steps ORDER BY step")
        self.assertEqual([row[0] for row in rows], [1, 2, 3, 4, 5, 6])
        self.assertTrue(all(row[1] > 0 and row[2] > 0 and row[3] == 64 for row in rows), rows)
        self.assertLess(rows[-1][1], rows[0][1])
        out, _ = self.check_run(0, "show", "last")
        self.assertIn("ddp", out)

    def test_the_rank_that_raised_is_the_reason(self):
        self.run_one(1, command("ddp", [TRAIN, "--fault=raise"], torchrun=True))
        (code, _, message), reason = self.root()
        self.assertEqual(code, "python-exception")
        self.assertIn("ValueError: sample 17 has no label", message)
        self.assertIn("ValueError: sample 17 has no label", reason)

    def test_a_rank_that_was_killed_under_torchrun_is_named(self):
        self.run_one(1, command("ddp", [TRAIN, "--fault=kill"], torchrun=True))
        (code, rank, _), reason = self.root()
        self.assertEqual((code, rank), ("worker-sigkill", 1), reason)
        self.assertIn("rank 1", reason)

    def test_a_rank_that_was_killed_alone_is_named(self):
        self.run_one(1, command("ddp", [PYTHON, TRAIN, "--fault=kill"]))
        (code, _, message), reason = self.root()
        self.assertEqual(code, "process-signal")
        self.assertIn("rank 1 on localhost: signal 9 (SIGKILL)", message)
        self.assertIn("SIGKILL", reason)

    def test_a_hang_says_after_which_step(self):
        limits = "{ hang_s: 4, hang_factor: 1, total_s: 240, grace_s: 1 }"
        self.run_one(1, command("ddp", [PYTHON, TRAIN, "--fault=hang"], limits=limits))
        (code, _, message), reason = self.root()
        self.assertEqual(code, "run-hung")
        self.assertIn("after step 2", message)
        self.assertEqual(self.query("SELECT process FROM runs"), [("hung",)])

    def test_a_master_port_that_cannot_be_reached(self):
        self.run_one(1, command("ddp", [PYTHON, TRAIN, "--fault=port"]))
        (code, rank, _), reason = self.root()
        self.assertEqual((code, rank), ("c10d-store-connect-timeout", 1), reason)

    @unittest.skipUnless(TWO_NODES, "needs an address that is no loopback")
    def test_two_nodes_with_one_node_rank(self):
        argv = ["torchrun", "--nnodes=2", "--node_rank=0", "--nproc_per_node=1", "--master_addr=localhost",
                "--master_port=29617", "--redirects=1", "--tee=1", TRAIN]
        self.run_one(1, command("ddp", argv, TWO_NODES))
        (code, _, _), reason = self.root()
        self.assertEqual(code, "node-rank-duplicate", reason)


if __name__ == "__main__":
    unittest.main()
