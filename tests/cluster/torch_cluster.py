"""Debian's torchrun over the four hosts: a small PyTorch script through the command backend."""
import json
import os
import shutil
import unittest

from tests.cluster.cluster import HOSTS, ClusterTest, topology
from tests.e2e.harness import sweep

TRAIN = os.path.abspath("tests/torch/train.py")
PATTERNS = r"""step_pattern: @'step (\d+) \|', loss_pattern: @'loss (\S+)', step_ms_pattern: @'([\d.]+) ms',
  tokens_pattern: @'(\d+) tokens'"""


def has_torch():
    return shutil.which("torchrun") is not None and os.system("/usr/bin/python3 -c 'import torch' 2>/dev/null") == 0


def training(*words):
    return sweep(f"""{{
      name: 'ddp', backend: 'command', topology: {topology("g[0033-0036]", ranks=1)},
      limits: {{ start_s: 200, total_s: 250, grace_s: 2 }}, env: {{ GLOO_SOCKET_IFNAME: 'eth0', OMP_NUM_THREADS: '1' }},
      command: {{ argv: {json.dumps([TRAIN, *words])}, torchrun: true, {PATTERNS} }} }}""")


@unittest.skipUnless(has_torch(), "needs torchrun and PyTorch (python3-torch)")
class TorchClusterTest(ClusterTest):
    def test_a_script_trains_on_four_hosts(self):
        self.check_run(0, self.write("ddp.jsonnet", training()), timeout=280)
        rows = self.query("SELECT step, loss, tokens FROM steps ORDER BY step")
        self.assertEqual([(step, tokens) for step, _, tokens in rows], [(step, 64) for step in range(1, 7)])
        # Gradient descent on a quadratic with a small rate: every step goes down.
        losses = [loss for _, loss, _ in rows]
        self.assertEqual(losses, sorted(losses, reverse=True))
        self.assertEqual(self.query("SELECT host FROM nodes ORDER BY node_rank"), [(host,) for host in HOSTS])
        self.assertEqual(self.query("SELECT count(*) FROM ranks WHERE exit_status = 0"), [(4,)])
        self.assertEqual(self.failed_checks(), [])
        self.assert_record_is_whole()
        self.assert_hosts_are_clean()

    def test_a_rank_that_is_killed_on_one_host_ends_the_run_on_all(self):
        self.check_run(1, self.write("ddp.jsonnet", training("--fault=kill", "--fault-rank=2")), timeout=280)
        (reason,), = self.query("SELECT process_reason FROM runs")
        self.assertRegex(reason, "rank 2")
        self.assertRegex(reason, "SIGKILL|signal 9|exitcode.*-9")
        self.assert_record_is_whole()
        self.assert_hosts_are_clean()


if __name__ == "__main__":
    unittest.main()
