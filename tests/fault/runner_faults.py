"""The runner itself, and what it writes to: killed in each phase, two at once, disks that are full or read-only. Each
time no process is left on any host, the record is whole, and the next experiment passes."""
import json
import os
import pathlib
import signal
import time
import unittest

from tests.cluster.cluster import EIGHT, ClusterTest, deployed_processes, ranks, remote, run
from tests.e2e.harness import sweep, train

PAIR = "g[0033-0034]"
LIMITS = {"hang_s": 20, "grace_s": 2, "lease_s": 5, "total_s": 100}


def endless(name="z0", steps=10_000_000, **limits):
    return remote(name, pattern=PAIR, ranks=1, train=train(steps=steps, **EIGHT), limits=json.dumps(LIMITS | limits))


class RunnerFaultTest(ClusterTest):
    def start_running(self, path, *words):
        runner = self.start(path, *words)
        self.addCleanup(self.end, runner)
        self.wait_for(lambda: len(ranks()) == 2 or runner.poll() is not None, within_s=60)
        self.assertIsNone(runner.poll(), "the runner has ended")
        return runner

    def end(self, runner):
        if runner.poll() is None:
            runner.kill()
        runner.communicate()

    def kill_when(self, condition):
        """kill -9 once the condition holds; then the same command carries on where it was."""
        long = self.write("sweep.jsonnet", sweep(endless()))
        runner = self.start(long)
        self.addCleanup(self.end, runner)
        self.wait_for(lambda: condition(runner) or runner.poll() is not None, within_s=60)
        self.assertIsNone(runner.poll(), "the runner has ended")
        self.stop_and_wait(runner)
        self.assert_hosts_are_clean(within_s=30)
        short = self.write("sweep.jsonnet", sweep(endless(steps=12)))
        self.check_run(0, short)
        ended = self.query("SELECT process, verdict FROM runs ORDER BY id")
        self.assertEqual(ended[-1], ("exited", "pass"))
        for process, verdict in ended[:-1]:
            self.assertEqual((process, verdict), ("lost", "undecided"))
        self.assert_record_is_whole()
        # What has passed is not run again.
        _, err = self.check_run(0, short)
        self.assertIn("1 cached", err)
        self.assert_next_passes(PAIR)

    def test_killed_while_it_reaches_the_nodes(self):
        self.kill_when(lambda runner: any("ssh" in line for line in self.children(runner)))

    def test_killed_while_it_checks(self):
        self.kill_when(lambda runner: len(deployed_processes()) >= 2)

    def test_killed_while_ranks_start(self):
        self.kill_when(lambda runner: len(ranks()) >= 1)

    def test_killed_while_ranks_train(self):
        def steps_are_recorded(runner):
            return self.db.exists() and len(ranks()) == 2 and self.steps_recorded() > 0
        self.kill_when(steps_are_recorded)

    def test_killed_while_it_stops(self):
        def stops(runner):
            if len(ranks()) == 2 and not getattr(self, "told", False):
                self.told = True
                runner.send_signal(signal.SIGTERM)
            return getattr(self, "told", False)
        self.kill_when(stops)

    def children(self, runner):
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) == runner.pid:
                    found.append((entry / "cmdline").read_bytes().decode(errors="replace"))
            except OSError:
                pass
        return found

    def test_a_second_runner_on_the_same_record_is_refused(self):
        path = self.write("sweep.jsonnet", sweep(endless()))
        runner = self.start_running(path)
        other = self.write("other.jsonnet", sweep(endless(steps=12), name="other"))
        _, err = self.check_run(2, other)
        self.assertIn(str(runner.pid), err)
        self.assertEqual(len(ranks()), 2)  # the first one's
        self.stop_and_wait(runner, signal.SIGTERM)
        self.assertEqual(runner.returncode, 143)
        self.assert_hosts_are_clean()
        self.assert_next_passes(PAIR)

    def test_a_second_runner_on_the_same_nodes_is_refused(self):
        runner = self.start_running(self.write("sweep.jsonnet", sweep(endless())))
        other = self.write("other.jsonnet", sweep(endless(steps=12), name="other"))
        _, err = self.check_run(5, other, "--db", str(self.folder / "other" / "results.db"))
        self.assertIn("leftovers g0033", err)
        self.assertIn("another runner is at work there", err)
        self.assertEqual(len(ranks()), 2)
        self.stop_and_wait(runner, signal.SIGINT)
        self.assertIsNotNone(runner.returncode)
        self.assert_hosts_are_clean()
        self.assert_next_passes(PAIR)

    def test_a_folder_that_is_read_only_is_refused(self):
        self.db.parent.mkdir()
        run("mount", "-t", "tmpfs", "-o", "size=1m,ro", "tmpfs", str(self.db.parent))
        try:
            _, err = self.check_run(2, self.write("sweep.jsonnet", sweep(endless(steps=12))))
        finally:
            run("umount", str(self.db.parent))
        self.assertIn("results/results.db.lock: Read-only file system", err)
        self.assertEqual(deployed_processes(), [])
        self.assert_next_passes(PAIR)

    def test_too_little_space_for_the_record_is_refused(self):
        self.db.parent.mkdir()
        run("mount", "-t", "tmpfs", "-o", "size=60m", "tmpfs", str(self.db.parent))
        try:
            _, err = self.check_run(5, self.write("sweep.jsonnet", sweep(endless(steps=12))))
            self.assertEqual(self.failed_checks(), [("runner_space", "this host")])
            self.assert_record_is_whole()
        finally:
            run("umount", str(self.db.parent))
        self.assertIn("runner_space", err)
        self.assert_next_passes(PAIR)

    def test_a_disk_that_fills_up_ends_the_run_and_keeps_what_was_recorded(self):
        """launch-case 067: the record's and the logs' file system in one."""
        self.db.parent.mkdir()
        run("mount", "-t", "tmpfs", "-o", "size=120m", "tmpfs", str(self.db.parent))
        try:
            # The run itself goes on meanwhile: space may come back before it ends.
            runner = self.start_running(self.write("sweep.jsonnet", sweep(endless(total_s=20))))
            self.wait_for(lambda: self.steps_recorded() > 0, within_s=60)
            filler = self.db.parent / "filler"
            with filler.open("wb", buffering=0) as file:  # what a buffer still holds would fail again at the end
                try:
                    while True:
                        file.write(b"\0" * 65536)
                except OSError:
                    pass
            before = self.steps_recorded()
            _, err = runner.communicate(timeout=90)
            self.assertNotIn(runner.returncode, (0, -signal.SIGKILL, -signal.SIGSEGV, -signal.SIGABRT), err)
            self.assertRegex(err, "full|No space")
            filler.unlink()
            self.assertGreaterEqual(self.steps_recorded(), before)
            self.assert_database_is_whole()
            self.assert_hosts_are_clean(within_s=30)
            self.assert_next_passes(PAIR)
        finally:
            run("umount", "-l", str(self.db.parent))


if __name__ == "__main__":
    unittest.main()
