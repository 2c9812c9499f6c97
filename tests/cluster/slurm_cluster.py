"""A small sweep through srun in an allocation of four nodes (one_box_slurm.sh)."""
import os
import pathlib
import time
import unittest

from tests.e2e.harness import RunnerTest, TINY_MODEL, train

# The library gives the nodes from SLURM_JOB_NODELIST and the way to each.
FILE = """
local hosts = import 'lib/hosts.libsonnet';
local reach = import 'lib/reach.libsonnet';
local topology = import 'lib/topology.libsonnet';
local zero = import 'lib/zero.libsonnet';
function(nodelist)
  local base = topology.on(hosts.slurm(nodelist), 2, reach.srun) + {
    backend: 'engine', device: 'cpu', threads_per_rank: 1, data: { kind: 'random' },
    env: { GLOO_SOCKET_IFNAME: 'br-zs' }, limits: { lease_s: 10 },
    model: %s,
    train: %s,
  };
  { schema: 1, sweep: 'slurm', experiments: [
    base + zero.stage(n) + { name: 'z%%d' %% n } for n in [0, 2]
  ] }
""" % (TINY_MODEL, train(micro_batch=1, global_batch=16))


class SlurmClusterTest(RunnerTest):
    def test_a_sweep_over_srun_passes(self):
        path = self.write("slurm.jsonnet", FILE)
        _, err = self.check_run(0, path, "-A", "nodelist=" + os.environ["SLURM_JOB_NODELIST"], timeout=200)
        self.assertIn("2 passed, 0 failed", err)
        self.assertEqual(
            self.query("SELECT DISTINCT host FROM nodes ORDER BY host"), [(f"n{k}",) for k in range(4)])
        self.assertEqual(
            self.query("SELECT name, node, found FROM checks WHERE status NOT IN ('pass', 'warn')"), [])
        self.assertEqual(self.query("SELECT count(*) FROM ranks WHERE exit_status = 0"), [(16,)])
        losses = self.query("SELECT DISTINCT step, loss FROM steps")
        self.assertEqual(len(losses), 12)
        self.assert_nothing_left()

    def test_outside_of_an_allocation_the_file_says_so(self):
        path = self.write("slurm.jsonnet", FILE)
        _, err = self.check_run(2, path, "-A", "nodelist=")
        self.assertIn("SLURM_JOB_NODELIST: empty; is this within an allocation", err)

    def test_a_killed_runner_leaves_no_rank(self):
        path = self.write("slurm.jsonnet", FILE.replace('"steps": 12', '"steps": 1000000'))
        runner = self.start(path, "-A", "nodelist=" + os.environ["SLURM_JOB_NODELIST"])
        self.wait_for(lambda: len(self.engines()) >= 8, within_s=60)
        runner.kill()
        runner.communicate()
        deadline = time.monotonic() + 30
        while self.engines() and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(self.engines(), [])

    def engines(self):
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                command = entry.read_bytes()
            except OSError:
                continue
            if b"/engine\0--config" in command:
                found.append(command)
        return found


if __name__ == "__main__":
    unittest.main()
