"""Sweeps over ssh on four hosts (tests/cluster/four_hosts.sh): two ranks a host, world size 8."""
import json
import os
import pathlib
import unittest

from tests.cluster.cluster import CLUSTER, HOSTS, ClusterTest, cable_cut, mounted, remote, slowed, ssh
from tests.e2e.harness import sweep

LIBRARY = os.path.abspath("experiments/lib")
SAVED = "{ save_at_end: true, verify_load: true }"


class SweepClusterTest(ClusterTest):
    def losses(self, name):
        return self.query(
            "SELECT s.step, s.loss, s.grad_norm FROM steps s JOIN runs r ON r.id = s.run_id "
            "JOIN experiments e ON e.id = r.experiment_id WHERE e.name = ? ORDER BY s.step", name)

    def test_smoke_runs_and_stages_pass_and_give_the_bits_of_one_host(self):
        one_host = remote("one_host", 1, topology="{ nodes: ['localhost'], ranks_per_node: 8 }", env="{}")
        path = self.write("sweep.jsonnet", sweep(
            remote("smoke_single", pattern="g0033"),
            remote("smoke_multi", 2, needs="['smoke_single']", checkpoint=SAVED),
            *[remote(f"z{stage}", stage, needs="['smoke_multi']") for stage in (0, 1, 2)],
            one_host))
        _, err = self.check_run(0, path, timeout=240)
        self.assertIn("6 passed, 0 failed", err)
        expected = self.losses("one_host")
        self.assertEqual(len(expected), 12)
        for name in ("smoke_multi", "z0", "z1", "z2"):
            self.assertEqual(self.losses(name), expected, name)
        self.assertEqual(self.failed_checks(), [])
        self.assertEqual(
            self.query("SELECT DISTINCT host FROM nodes WHERE host <> 'localhost' ORDER BY host"),
            [(host,) for host in HOSTS])

        out, _ = self.check_run(0, "report", "--compare", "z0,z1,z2", "--format", "json")
        compared = {entry["name"]: entry for entry in json.loads(out)["experiments"]}
        self.assertEqual(sorted(compared), ["z0", "z1", "z2"])
        self.assertEqual({entry["world_size"] for entry in compared.values()}, {8})
        self.assertTrue(compared["z1"]["loss_equal"] and compared["z2"]["loss_equal"])
        out, _ = self.check_run(0, "logs", "z2", "--rank", "7")
        self.assertIn('"event":"start"', out)
        self.assert_hosts_are_clean()

    def test_a_node_with_half_the_bandwidth_is_named(self):
        links = ("(import 'links.libsonnet').pairs([%s], %s, max_bytes=1048576)"
                 % (", ".join(f"'{host}'" for host in HOSTS),
                    "{ device: 'cpu', env: { GLOO_SOCKET_IFNAME: 'eth0' }, topology+: { reach: %s } }" % json.dumps(ssh())))
        stages = ", ".join(remote(f"z{stage}", stage) for stage in (0, 1))
        path = self.write("sweep.jsonnet", f"{{ schema: 1, sweep: 'links', experiments: {links} + [{stages}] }}")
        with slowed({host: "100mbit" if host == "g0035" else "200mbit" for host in HOSTS}):
            _, err = self.check_run(0, path, "-J", LIBRARY, timeout=300)
        self.assertIn("g0035: its links carry", err)
        self.assertEqual(self.query("SELECT node FROM findings WHERE code = 'slow_node'"), [("g0035",)])
        out, _ = self.check_run(0, "report", "--compare", "z0,z1", "--format", "json")
        self.assertRegex(json.loads(out)["verdict"], r"^SLOW NODE: g0035: its links carry 0\.0\d+ GB/s at best")
        self.assert_hosts_are_clean()

    def test_a_host_that_is_down_fails_the_check_and_nothing_starts(self):
        everywhere = self.write("all.jsonnet", sweep(remote("z0"), name="all"))
        some = self.write("some.jsonnet", sweep(remote("z0"), remote("alone", pattern="g0034"), name="some"))
        with cable_cut("g0035"):
            out, _ = self.check_run(5, "check", everywhere, "--format", "json")
            failed = [row for row in json.loads(out) if row["status"] != "ok"]
            self.assertEqual([(row["check"], row["node"]) for row in failed], [("reach", "g0035")])
            self.assertIn("ssh -F", failed[0]["repeat"])

            _, err = self.check_run(5, everywhere)
            self.assertIn("reach g0035", err)
            self.assertEqual(self.query("SELECT count(*) FROM ranks"), [(0,)])
            self.assertEqual(
                self.query("SELECT process, measurement, verdict FROM runs"), [("lost", "no_data", "fail")])
            # Of the check alone, and of the run.
            self.assertEqual(self.failed_checks(), [("reach", "g0035")] * 2)

            _, err = self.check_run(1, some)
            self.assertIn("1 passed, 1 failed", err)
            out, _ = self.check_run(0, "show", "1")
            self.assertRegex(out, r"g0035 +reach +fail +(timeout|no_route): ")
        self.check_run(0, "check", everywhere)
        # The rows of checks alone are on record too, as those of a sweep that ran nothing.
        self.assertEqual(self.query("SELECT count(*) > 8 FROM checks c JOIN sweeps s ON s.id = c.sweep_id "
                                    "WHERE c.status = 'pass' AND s.reason = 'checks alone: all is well'"), [(1,)])
        self.check_run(0, everywhere)
        self.assert_hosts_are_clean()

    def test_a_damaged_engine_on_one_host_is_put_there_anew(self):
        path = self.write("sweep.jsonnet", sweep(remote("z0")))
        self.check_run(0, path)
        engines = [sorted(pathlib.Path(CLUSTER, host).glob("zerosweep/files/*/engine")) for host in HOSTS]
        whole = engines[0][0].read_bytes()
        engines[2][0].write_bytes(b"damaged")
        self.check_run(0, path, "--rerun")
        self.assertEqual([[engine.read_bytes() == whole for engine in found] for found in engines], [[True]] * 4)
        self.assert_hosts_are_clean()

    def test_checkpoints_in_a_folder_that_one_host_does_not_share_are_refused(self):
        shared = self.folder / "shared"
        shared.mkdir()
        path = self.write("sweep.jsonnet", sweep(
            remote("z1", 1, checkpoint=f"{{ save_at_end: true, dir: '{shared}' }}")))
        with mounted("g0034", shared):
            _, err = self.check_run(5, path)
        self.assertIn("shared_folder g0034", err)
        self.assertEqual(self.failed_checks(), [("shared_folder", "g0034")])
        self.assertEqual(list(shared.iterdir()), [])
        self.check_run(0, path)
        self.assert_hosts_are_clean()


if __name__ == "__main__":
    unittest.main()
