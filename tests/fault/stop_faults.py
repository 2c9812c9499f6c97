"""`runner stop` from another terminal in each phase of a run on hosts, and nodes that a run could not leave clean. Each
time nothing is left on any host, the record is whole, and the next experiment passes."""
import contextlib
import json
import pathlib
import unittest

from tests.cluster.cluster import CLUSTER, EIGHT, ClusterTest, deployed_processes, ranks, remote, run, ssh, topology
from tests.e2e.harness import sweep, train

PAIR = "g[0033-0034]"
LIMITS = json.dumps({"grace_s": 2, "lease_s": 5, "total_s": 100})


def endless(**fields):
    return remote("z0", pattern=PAIR, ranks=1, **({"train": train(steps=10_000_000, **EIGHT), "limits": LIMITS} | fields))


@contextlib.contextmanager
def slow_program(name, seconds):
    """A program of the hosts that takes its time."""
    path = pathlib.Path(CLUSTER, "bin", name)
    path.write_text(f'#!/bin/sh\nsleep {seconds}\nexec /usr/bin/{name} "$@"\n')
    path.chmod(0o755)
    try:
        yield
    finally:
        path.unlink()


@contextlib.contextmanager
def frozen_disk(folder):
    """A file system on which whoever writes waits in the kernel and cannot be killed, until the end of the context."""
    image = folder / "image"
    with image.open("wb") as file:
        file.truncate(16 << 20)
    mount = folder / "frozen"
    mount.mkdir()
    run("mkfs.ext4", "-q", str(image))
    run("mount", "-o", "loop", str(image), str(mount))
    run("fsfreeze", "-f", str(mount))
    try:
        yield mount
    finally:
        run("fsfreeze", "-u", str(mount))
        run("umount", "-l", str(mount))


class StopFaultTest(ClusterTest):
    def stop_when(self, condition, path, *words, code=143):
        runner = self.start(path)
        self.addCleanup(self.end, runner)
        self.wait_for(lambda: condition() or runner.poll() is not None, within_s=60)
        self.assertIsNone(runner.poll(), "the runner has ended")
        out, _ = self.check_run(0, "stop", *words)
        self.assertIn("the runner has ended", out)
        runner.communicate(timeout=30)
        self.assertEqual(runner.returncode, code)
        self.assert_hosts_are_clean()
        self.assert_record_is_whole()
        self.assert_next_passes(PAIR)

    def end(self, runner):
        if runner.poll() is None:
            runner.kill()
        runner.communicate()

    def sweeps(self):
        with contextlib.suppress(Exception):  # the record is still being made
            return self.query("SELECT count(*) FROM sweeps")[0][0]
        return 0

    def test_while_nodes_are_reached(self):
        path = self.write("sweep.jsonnet", sweep(endless(topology=topology(PAIR, 1, [*ssh(), "sleep 3;", "exec"]))))
        self.stop_when(lambda: self.sweeps() > 0, path, "--now")

    def test_while_nodes_are_checked(self):
        tree = self.folder / "tree"
        tree.mkdir()
        path = self.write("sweep.jsonnet", sweep(endless(checks=json.dumps({"same_trees": [str(tree)]}))))
        with slow_program("find", 3):
            self.stop_when(lambda: len(deployed_processes()) >= 2 and self.sweeps() > 0, path, "--now")
        self.assertEqual(self.query("SELECT count(*) FROM ranks r JOIN runs u ON u.id = r.run_id "
                                    "JOIN experiments e ON e.id = u.experiment_id WHERE e.name = 'z0'"), [(0,)])

    def test_while_ranks_start(self):
        self.stop_when(lambda: len(ranks()) >= 1, self.write("sweep.jsonnet", sweep(endless())), "--now")
        self.assertEqual(self.query("SELECT process FROM runs ORDER BY id LIMIT 1"), [("killed",)])

    def test_while_ranks_train(self):
        self.stop_when(lambda: self.steps_recorded() > 0, self.write("sweep.jsonnet", sweep(endless())), "--now")
        self.assertEqual(self.query("SELECT process, verdict FROM runs ORDER BY id LIMIT 1"), [("killed", "undecided")])

    def test_after_the_experiment(self):
        some = train(steps=600, **EIGHT)
        path = self.write("sweep.jsonnet", sweep(endless(train=some), remote("z1", 1, PAIR, ranks=1)))
        self.stop_when(lambda: self.steps_recorded() > 0, path, code=6)
        self.assertEqual(self.query("SELECT process, verdict FROM runs ORDER BY id LIMIT 1"), [("exited", "pass")])

    def test_while_it_already_stops(self):
        """The second request shortens the grace that the ranks, which are stopped and do not hear of it, have."""
        def first(test=self):
            if test.steps_recorded() == 0:
                return False
            for pid in ranks().values():
                run("kill", "-STOP", str(pid))
            test.first = test.start("stop")
            return True
        path = self.write("sweep.jsonnet", sweep(endless()))
        self.stop_when(first, path, "--now")
        out, _ = self.first.communicate(timeout=30)
        self.assertIn("to end after run 1 (z0)", out)

    def test_a_node_that_is_not_clean_stops_the_next_experiment(self):
        """A rank that waits in the kernel cannot be ended: the receipt says so, and nothing else starts there."""
        with frozen_disk(self.folder) as disk:
            script = self.folder / "rank.sh"
            script.write_text(f"echo step 1 loss 1\n[ $RANK = 0 ] || exec dd if=/dev/zero of={disk}/file bs=1k count=1\nsleep 3\nexit 1\n")
            stuck = f"""{{ name: 'stuck', backend: 'command', topology: {topology(PAIR, 1)}, limits: {LIMITS},
              command: {{ argv: ['sh', '{script}'], step_pattern: 'step ([0-9]+)' }} }}"""
            self.check_run(1, self.write("stuck.jsonnet", sweep(stuck, name="stuck")), timeout=120)
            self.assertEqual(self.query("SELECT host, clean, left_processes FROM nodes ORDER BY node_rank"),
                             [("g0033", 1, 0), ("g0034", 0, 1)])
            (note,), = self.query("SELECT clean_up_note FROM nodes WHERE clean = 0")
            self.assertRegex(note, r"not ended by SIGKILL: \d+ \(dd, D\)")
            other = self.write("other.jsonnet", sweep(endless(train=train(steps=4, **EIGHT)), name="other"))
            _, err = self.check_run(5, other, timeout=120)
            self.assertRegex(err, r"leftovers g0034|clean_up g0034")
            # Accepted as it is, the earlier run's node still stops it.
            accepting = self.write("accepting.jsonnet", sweep(endless(
                train=train(steps=4, **EIGHT), checks=json.dumps({"accept": ["leftovers"]})), name="accepting"))
            _, err = self.check_run(5, accepting, timeout=120)
            self.assertIn("clean_up g0034", err)
            self.assertIn("run 1 (stuck)", err)
        self.check_run(0, other)
        self.assertEqual(self.query("SELECT count(*) FROM nodes WHERE clean IS NOT 1"), [(0,)])
        self.assertEqual(self.query("SELECT count(*) FROM findings WHERE code = 'node_settled' AND node = 'g0034'"), [(1,)])
        self.assert_hosts_are_clean()
        self.assert_next_passes(PAIR)

    def test_a_gigabyte_of_output_is_cut_in_the_middle(self):
        """launch-case 076, over ssh: the run passes, and its logs keep their beginning and their end."""
        script = self.folder / "flood.sh"
        script.write_text("echo begins\nhead -c 1073741824 /dev/zero | tr '\\0' 'x' | fold -w 4095\necho\necho step 1\necho ends\n")
        flood = f"""{{ name: 'flood', backend: 'command', topology: {topology("g0034", 1)},
          command: {{ argv: ['sh', '{script}'], step_pattern: '^step ([0-9]+)' }} }}"""
        self.check_run(0, self.write("flood.jsonnet", sweep(flood, name="flood")), timeout=280)
        log, = self.folder.glob("results/artifacts/*/flood/*/rank0.log")
        self.assertLess(log.stat().st_size, 65 << 20)
        text = log.read_bytes()
        self.assertTrue(text.startswith(b"begins\nxxx"))
        self.assertTrue(text.endswith(b"\nstep 1\nends\n"))
        self.assertIn(b"bytes of output left out", text)
        self.assert_hosts_are_clean()
        self.assert_next_passes(PAIR)


if __name__ == "__main__":
    unittest.main()
