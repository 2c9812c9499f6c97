"""The shipped four_nodes.jsonnet in containers (a stand-in for docker exec) behind ssh on four hosts, with CPU ranks:
the five steps of people who train there, from their own variables."""
import json
import os
import pathlib
import unittest

from tests.cluster.cluster import CLUSTER, HOSTS, ClusterTest, remote, ssh
from tests.e2e.harness import sweep

FOUR_NODES = os.path.abspath("experiments/four_nodes.jsonnet")
VARIABLES = {"NPROC_PER_NODE": 2, "MASTER_PORT": 6000, "CONTAINER_NAME": "megatron", "GLOO_SOCKET_IFNAME": "eth0",
             "SSH_CONFIG": f"{CLUSTER}/ssh_config"}
IN_CONTAINER = [*ssh(), "docker", "exec", "-i", "megatron"]


class DockerClusterTest(ClusterTest):
    def container(self, words):
        pathlib.Path(CLUSTER, "container").write_text(words + "\n")
        self.addCleanup(pathlib.Path(CLUSTER, "container").unlink)

    def test_the_five_steps_pass(self):
        words = [FOUR_NODES, "-A", "device=cpu", "--tla-code", f"variables={json.dumps(VARIABLES)}"]
        out, _ = self.check_run(0, "plan", *words, "--show", "z1")
        self.assertIn(f"ssh -F {CLUSTER}/ssh_config -oBatchMode=yes g0036 docker exec -i megatron", out)
        self.assertIn("WORLD_SIZE=8", out)
        _, err = self.check_run(0, *words, timeout=280)
        self.assertIn("5 passed, 0 failed", err)
        self.assertEqual(
            self.query("SELECT name FROM experiments ORDER BY id"),
            [(name,) for name in ("smoke_single", "smoke_multi", "z0", "z1", "z2")])
        self.assertEqual(self.failed_checks(), [])
        self.assertEqual(
            self.query("SELECT DISTINCT node, found FROM checks WHERE name = 'container' ORDER BY node"),
            [(host, "megatron: running, network host, IPC host") for host in HOSTS])
        self.assertEqual(
            self.query("SELECT count(DISTINCT s.loss) FROM steps s JOIN runs r ON r.id = s.run_id JOIN experiments e "
                       "ON e.id = r.experiment_id WHERE e.name LIKE 'z_' AND s.step = 12"), [(1,)])
        self.assert_record_is_whole()
        self.assert_hosts_are_clean()

    def refused(self, check, said):
        """The experiment that VERB refuses, and why."""
        path = self.write("sweep.jsonnet", sweep(remote("z0", pattern="g[0033-0034]", ranks=1, reach=IN_CONTAINER)))
        _, err = self.check_run(5, path)
        self.assertIn(said, err)
        self.assertEqual({name for name, _ in self.failed_checks()}, {check})
        self.assertEqual(self.query("SELECT count(*) FROM ranks"), [(0,)])
        self.assert_next_passes()

    def test_a_network_of_its_own_is_refused(self):
        self.container("true bridge host")
        self.refused("container", "network bridge")

    def test_a_stopped_container_is_named(self):
        self.container("false host host")
        self.refused("reach", "container_stopped")

    def test_private_ipc_is_a_warning(self):
        self.container("true host private")
        path = self.write("sweep.jsonnet", sweep(remote("z0", pattern="g[0033-0034]", ranks=1, reach=IN_CONTAINER)))
        self.check_run(0, path)
        self.assertEqual(
            self.query("SELECT DISTINCT status FROM checks WHERE name = 'container'"), [("warn",)])
        self.assert_next_passes()


if __name__ == "__main__":
    unittest.main()
