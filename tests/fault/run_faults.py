"""Faults while ranks run on hosts that are reached by ssh: each run ends (or goes on) as the table says and for the
reason that it says, leaves nothing on any host and no row undone or double; the next experiment passes. Two hosts of
tests/cluster/four_hosts.sh with a rank each."""
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import time
import typing
import unittest

from tests.cluster.cluster import CABLES, CLUSTER, EIGHT, ClusterTest, agents, processes, ranks, remote, run
from tests.e2e.harness import sweep, train

PAIR = "g[0033-0034]"
FOR_EVER = 10_000_000
LIMITS = {"hang_s": 4, "hang_factor": 1, "grace_s": 2, "lease_s": 30, "total_s": 100}


@dataclasses.dataclass
class Fault:
    name: str
    act: typing.Callable  # of the test and the runner: once the ranks run
    process: str  # as the record has it; "exited" with code 0: the run has to pass
    reason: str  # an expression found in its reason
    limits: dict = dataclasses.field(default_factory=dict)
    steps: int = FOR_EVER
    code: int = 1
    early: bool = False  # while ranks are on their way to each other


def of_rank(rank, number):
    return lambda test, runner: os.kill(ranks()[rank], number)


def both_ranks(test, runner):
    for pid in ranks().values():
        os.kill(pid, signal.SIGKILL)


def agent_killed(test, runner):
    for pid in agents("g0034"):
        os.kill(pid, signal.SIGKILL)


def parents():
    found = {}
    for pid, _, _ in processes():
        try:
            found[pid] = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            pass
    return found


def daemon_of(host):
    return int(pathlib.Path(CLUSTER, f"{host}.pid").read_text())


def ssh_client(number):
    """Of the way to g0034."""
    def act(test, runner):
        for pid, command, _ in processes():
            if command.startswith("ssh -F") and " g0034 " in command:
                os.kill(pid, number)
    return act


def ssh_session(number):
    """What sshd on g0034 has started for this connection; the agent, which it has started too, is another's."""
    def act(test, runner):
        of = parents()
        for pid, command, _ in processes():
            if of.get(pid) == daemon_of("g0034") and command.startswith("sshd:"):
                os.kill(pid, number)
    return act


def cable(state, then=None, after_s=0.0):
    def act(test, runner):
        test.addCleanup(run, "ip", "link", "set", CABLES["g0034"], "up")
        run("ip", "link", "set", CABLES["g0034"], state)
        if then:
            time.sleep(after_s)
            run("ip", "link", "set", CABLES["g0034"], then)
    return act


def slow_cable(test, runner):
    run("tc", "qdisc", "add", "dev", CABLES["g0034"], "root", "tbf", "rate", "20mbit", "burst", "16k", "latency", "400ms")
    test.addCleanup(run, "tc", "qdisc", "del", "dev", CABLES["g0034"], "root")


def reboot(test, runner):
    """All of g0034 is gone at once: ranks, agent, connection."""
    cable("down")(test, runner)
    os.kill(ranks()[1], signal.SIGKILL)
    agent_killed(test, runner)
    ssh_session(signal.SIGKILL)(test, runner)


def runner_sleeps(test, runner):
    runner.send_signal(signal.SIGSTOP)
    time.sleep(2)
    runner.send_signal(signal.SIGCONT)


FAULTS = [
    # A rank (launch-cases 031, 035, 042, 065).
    Fault("rank_is_killed", of_rank(1, signal.SIGKILL), "killed", "rank 1 on g0034: signal 9 "),
    Fault("rank_zero_is_killed", of_rank(0, signal.SIGKILL), "killed", "rank 0 on g0033: signal 9 "),
    Fault("rank_is_killed_while_it_joins", of_rank(1, signal.SIGKILL), "killed", "rank 1 on g0034: signal 9 ", early=True),
    Fault("rank_aborts", of_rank(1, signal.SIGABRT), "killed", "rank 1 on g0034: signal 6 "),
    Fault("rank_has_a_segmentation_fault", of_rank(0, signal.SIGSEGV), "killed", "rank 0 on g0033: signal 11 "),
    Fault("all_ranks_are_killed", both_ranks, "killed", "rank [01] on g003[34]: signal 9 "),
    Fault("rank_hangs", of_rank(1, signal.SIGSTOP), "hung", "suspect: rank 1 on g0034 is stopped"),
    # A node and the way to it (launch-cases 015, 020, 031, 043).
    Fault("agent_is_killed", agent_killed, "lost", "node g0034: "),
    Fault("ssh_client_is_killed", ssh_client(signal.SIGKILL), "exited", "", steps=1000, code=0),
    Fault("ssh_session_is_killed", ssh_session(signal.SIGKILL), "exited", "", steps=1000, code=0),
    Fault("link_is_cut_and_healed", cable("down", "up", 1.5), "exited", "", steps=1000, code=0),
    Fault("link_is_cut_for_good", cable("down"), "lost", "node g0034: ", {"lease_s": 3}),
    Fault("link_is_slow", slow_cable, "exited", "", steps=12, code=0, early=True),
    Fault("node_reboots", reboot, "lost", "node g0034: ", {"lease_s": 3}),
    # The runner (launch-case 034).
    Fault("runner_sleeps", runner_sleeps, "exited", "", steps=1000, code=0),
    Fault("runner_is_told_to_end", lambda test, runner: runner.send_signal(signal.SIGTERM), "killed", "", code=143),
]


class RunFaultTest(ClusterTest):
    def start_faulty(self, fault):
        path = self.write("fault.jsonnet", sweep(remote(
            "z0", pattern=PAIR, ranks=1, train=train(steps=fault.steps, **EIGHT),
            limits=json.dumps(LIMITS | fault.limits))))
        runner = self.start(path)
        self.addCleanup(self.end, runner)
        self.wait_for(lambda: len(ranks()) == 2 or runner.poll() is not None, within_s=60)
        return runner

    def end(self, runner):
        if runner.poll() is None:
            runner.kill()
        runner.communicate()

    def bring_about(self, fault):
        runner = self.start_faulty(fault)
        if not fault.early:
            self.wait_for(lambda: self.steps_recorded() > 0 or runner.poll() is not None, within_s=60)
        fault.act(self, runner)
        begin = time.monotonic()
        try:
            _, err = runner.communicate(timeout=90)
        except subprocess.TimeoutExpired:
            self.fail("the runner does not end")
        took_s = time.monotonic() - begin
        (process, reason, verdict, recorded), = self.query(
            "SELECT process, process_reason, verdict, (SELECT count(*) FROM steps s WHERE s.run_id = r.id) FROM runs r")
        self.assertEqual(runner.returncode, fault.code, f"{process}: {reason}\n{err}")
        self.assertRegex(process, f"^({fault.process})$", reason)
        if fault.reason:
            self.assertRegex(reason, fault.reason)
        self.assertEqual(verdict == "pass", fault.code == 0)
        if fault.code == 0:
            self.assertEqual(recorded, fault.steps)
        else:
            self.assertLess(took_s, 45)
        self.doCleanups_of_network()
        self.assert_hosts_are_clean(within_s=30)
        self.assert_record_is_whole()
        self.assert_next_passes(PAIR)

    def doCleanups_of_network(self):
        run("ip", "link", "set", CABLES["g0034"], "up")


def add_test(fault):
    def test(self):
        self.bring_about(fault)
    setattr(RunFaultTest, f"test_{fault.name}", test)


for each in FAULTS:
    add_test(each)

if __name__ == "__main__":
    unittest.main()
