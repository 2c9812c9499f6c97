"""What tests on the four hosts of four_hosts.sh share: experiments for them, a look into each, and the proof that a
test has left nothing on any."""
import contextlib
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import time

from tests.e2e.harness import RunnerTest, experiment, sweep, train

CLUSTER = os.environ.get("ZS_CLUSTER", "")
HOSTS = ("g0033", "g0034", "g0035", "g0036")
CABLES = dict(zip(HOSTS, ("v1", "v2", "v3", "v4")))
EIGHT = {"micro_batch": 1, "global_batch": 16}


def ssh(*options):
    """An argv prefix that leads to a host; options come before its name."""
    return ["ssh", "-F", f"{CLUSTER}/ssh_config", *options, "{host}"]


def topology(pattern, ranks=2, reach=None, **fields):
    return json.dumps({"nodes": [pattern], "ranks_per_node": ranks, "reach": reach or ssh()} | fields)


def remote(name, stage=0, pattern="g[0033-0036]", ranks=2, reach=None, port=0, **fields):
    """An experiment on the hosts of the pattern, two ranks on each."""
    values = {
        "train": train(stage, **EIGHT),
        "topology": topology(pattern, ranks, reach, master_port=port),
        "threads_per_rank": "1",
        "env": "{ GLOO_SOCKET_IFNAME: 'eth0' }",
    }
    return experiment(name, **(values | fields))


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def into(host):
    """Words before a command that is to run in the network and mounts of a host."""
    pid = pathlib.Path(CLUSTER, f"{host}.pid").read_text().strip()
    return ["nsenter", "--target", pid, "--net", "--mount"]


def on_host(host, *command):
    return run(*into(host), *command)


def listeners(host):
    lines = on_host(host, "cat", "/proc/net/tcp", "/proc/net/tcp6").splitlines()
    return sorted(line.split()[1] for line in lines if len(line.split()) > 3 and line.split()[3] == "0A")


def processes():
    """(pid, command line, environment) of all that may be looked at, zombies aside."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            environment = (entry / "environ").read_bytes().decode(errors="replace").split("\0")
            state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if state != "Z":
            found.append((int(entry.name), command, environment))
    return found


def deployed_processes():
    """Command lines of agents and engines that run on any host."""
    return [command for _, command, _ in processes() if command.startswith(CLUSTER)]


def ranks():
    """Rank to process id of the ranks that run."""
    found = {}
    for pid, command, environment in processes():
        values = dict(entry.split("=", 1) for entry in environment if "=" in entry)
        if command.startswith(CLUSTER) and "--config" in command and "RANK" in values:
            found[int(values["RANK"])] = pid
    return found


def agents(host):
    return [pid for pid, command, _ in processes() if command.startswith(f"{CLUSTER}/{host}/zerosweep/agent-")]


@contextlib.contextmanager
def cable_cut(host):
    run("ip", "link", "set", CABLES[host], "down")
    try:
        yield
    finally:
        run("ip", "link", "set", CABLES[host], "up")


@contextlib.contextmanager
def slowed(rates):
    """Each host sends at most at its rate ("100mbit")."""
    for host, rate in rates.items():
        on_host(host, "tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", rate, "burst", "64k", "latency", "400ms")
    try:
        yield
    finally:
        for host in rates:
            on_host(host, "tc", "qdisc", "del", "dev", "eth0", "root")


@contextlib.contextmanager
def file_changed(path, text):
    path = pathlib.Path(path)
    before = path.read_text()
    path.write_text(text)
    try:
        yield
    finally:
        path.write_text(before)


@contextlib.contextmanager
def mounted(host, path, options="size=8m"):
    """An empty file system at a path, for one host alone."""
    on_host(host, "mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path))
    try:
        yield
    finally:
        on_host(host, "umount", "-l", str(path))


class ClusterTest(RunnerTest):
    def setUp(self):
        super().setUp()
        # What a test that failed has left ends with its lease.
        self.wait_for(lambda: not deployed_processes(), within_s=60)
        self.ports_before = {host: listeners(host) for host in HOSTS}
        self.shm_before = sorted(os.listdir("/dev/shm"))
        self.mounts_before = {host: on_host(host, "cat", "/proc/self/mounts") for host in HOSTS}

    def steps_recorded(self):
        try:
            return self.query("SELECT count(*) FROM steps")[0][0]
        except sqlite3.Error:  # the schema is still being made
            return 0

    def assert_hosts_are_clean(self, within_s=15):
        self.assert_nothing_left()
        deadline = time.monotonic() + within_s
        while deployed_processes() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(deployed_processes(), [])
        self.assertEqual({host: listeners(host) for host in HOSTS}, self.ports_before)
        self.assertEqual(sorted(os.listdir("/dev/shm")), self.shm_before)

    def assert_record_is_whole(self):
        """No row is lost or there twice, and every run has come to an end."""
        if not self.db.exists():
            return
        self.assert_database_is_whole()
        self.assertEqual(self.query("SELECT run_id, step FROM steps GROUP BY run_id, step HAVING count(*) > 1"), [])
        self.assertEqual(self.query("SELECT id FROM runs WHERE verdict IS NULL"), [])

    def assert_next_passes(self, pattern="g[0033-0034]"):
        """After a fault is gone, an experiment on the same hosts passes and records all of its steps."""
        path = self.write("next.jsonnet", sweep(remote("next", 1, pattern, ranks=1, train=train(1, steps=4, **EIGHT)), name="next"))
        self.check_run(0, path, timeout=120)
        self.assertEqual(self.query("SELECT count(*) FROM steps s JOIN runs r ON r.id = s.run_id JOIN experiments e "
                                    "ON e.id = r.experiment_id WHERE e.name = 'next'"), [(4,)])
        self.assert_record_is_whole()
        self.assert_hosts_are_clean()

    def failed_checks(self):
        return self.query("SELECT name, node FROM checks WHERE status NOT IN ('pass', 'warn') ORDER BY id")

    def stop_and_wait(self, process, number=signal.SIGKILL):
        process.send_signal(number)
        process.communicate()
