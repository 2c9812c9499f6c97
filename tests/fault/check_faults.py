"""Faults of nodes that checks find before anything is started: each refuses the experiment with the check and the
reason that the table says, starts no process, leaves nothing on any host and no row undone; once it is gone, the next
experiment passes. Two hosts of tests/cluster/four_hosts.sh with a rank each."""
import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import time
import typing
import unittest

from tests.cluster.cluster import (CLUSTER, ClusterTest, cable_cut, file_changed, into, mounted, on_host, remote, run,
                                   ssh, topology)
from tests.e2e.harness import sweep

PAIR = "g[0033-0034]"


@dataclasses.dataclass
class Fault:
    """What is wrong, and what has to be said of it."""
    name: str
    check: str  # the checks that fail, with their nodes
    nodes: typing.Tuple[str, ...]
    said: str  # a part of what is found
    make: typing.Callable = contextlib.nullcontext  # of the test: a context in which the fault is there
    fields: typing.Callable = dict  # of the test: what the experiment has besides


def hosts_file(host, text):
    return lambda test: file_changed(f"/etc/netns/{host}/hosts", text)


def cut(host):
    return lambda test: cable_cut(host)


@contextlib.contextmanager
def route(host, kind, target):
    on_host(host, "ip", "route", "add", kind, target)
    try:
        yield
    finally:
        on_host(host, "ip", "route", "del", kind, target)


@contextlib.contextmanager
def in_background(host, *command):
    process = subprocess.Popen([*into(host), *command], stdout=subprocess.PIPE, text=True)
    try:
        process.stdout.readline()
        yield process
        assert process.poll() is None, "a stranger was ended"
    finally:
        process.kill()
        process.communicate()


@contextlib.contextmanager
def several(*contexts):
    with contextlib.ExitStack() as stack:
        for context in contexts:
            stack.enter_context(context)
        yield


def leftover(test):
    """A process of a run whose agent is gone."""
    environment = dict(os.environ, ZS_RUN_TOKEN="an-old-run")
    return contextlib.closing(Sleeper(subprocess.Popen(["sleep", "600"], env=environment)))


@dataclasses.dataclass
class Sleeper:
    process: subprocess.Popen

    def close(self):
        assert self.process.poll() is None, "a process of another run was ended"
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def bridge(host, address, up=True):
    """Another interface, br-x."""
    on_host(host, "ip", "link", "add", "br-x", "type", "bridge")
    on_host(host, "ip", "addr", "add", address, "dev", "br-x")
    on_host(host, "ip", "link", "set", "br-x", "up" if up else "down")
    try:
        yield
    finally:
        on_host(host, "ip", "link", "del", "br-x")


def two_bridges(first, second, up=True):
    return lambda test: several(bridge("g0033", first), bridge("g0034", second, up))


def interface(variable, name):
    return lambda test: {"env": json.dumps({variable: name})}


def way(*options, through=()):
    """Another way to the hosts."""
    return lambda test: {"reach": [*ssh(*options), *through]}


def needs(**fields):
    return lambda test: {"checks": json.dumps(fields)}


def data_folder(test):
    folder = test.folder / "data"
    folder.mkdir(exist_ok=True)
    (folder / "text").write_text("What is the same everywhere. " * 200)
    return folder


def text_data(test):
    return {"data": json.dumps({"kind": "text", "paths": [str(data_folder(test) / "text")]})}


def tree(test):
    return {"checks": json.dumps({"same_trees": [str(data_folder(test))]})}


def data_missing(test):
    return mounted("g0034", data_folder(test))


@contextlib.contextmanager
def data_differs(test):
    folder = data_folder(test)
    with mounted("g0034", folder):
        on_host("g0034", "sh", "-c", f"echo other >{folder}/text")
        yield


def cache(options):
    """The folder for the agent on g0034, on a file system of its own."""
    @contextlib.contextmanager
    def make(test):
        folder = pathlib.Path(CLUSTER, "g0034", "zerosweep")
        folder.mkdir(parents=True, exist_ok=True)
        with mounted("g0034", folder, options):
            yield
    return make


def known_hosts(test, text):
    path = test.folder / "known_hosts"
    path.write_text(text)
    return [f"-oUserKnownHostsFile={path}", "-oStrictHostKeyChecking=yes"]


def another_key(test):
    key = (pathlib.Path(CLUSTER) / "key.pub").read_text().split()
    return {"reach": ssh(*known_hosts(test, "".join(f"10.77.0.{k} {key[0]} {key[1]}\n" for k in (1, 2))))}


BOTH = ("g0033", "g0034")
NO_PRIVILEGE = ("setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock", "prlimit", "--memlock=65536:65536")
NO_LIMITS = ("setpriv", "--bounding-set=-sys_resource", "--inh-caps=-sys_resource", "prlimit", "--nofile=512:512")

FAULTS = [
    # Names and addresses (launch-cases 023, 024).
    Fault("master_is_a_loopback_address", "master_address", ("g0033",), "127.0.1.1",
          hosts_file("g0033", "127.0.0.1 localhost\n127.0.1.1 g0033\n10.77.0.2 g0034\n")),
    Fault("master_is_unknown_on_a_node", "resolve", ("g0034",), "g0033: not known here",
          hosts_file("g0034", "127.0.0.1 localhost\n")),
    Fault("master_is_another_machine_on_a_node", "master_address port_reachable", ("g0034",), "10.77.0.3",
          hosts_file("g0034", "127.0.0.1 localhost\n10.77.0.3 g0033\n")),
    Fault("port_is_closed_by_a_firewall", "port_reachable", ("g0034",), "10.77.0.1 port",
          lambda test: route("g0034", "prohibit", "10.77.0.1/32")),
    Fault("no_route_to_the_master", "port_reachable", ("g0034",), "No route to host",
          lambda test: route("g0034", "unreachable", "10.77.0.1/32")),
    # The way to a node (launch-cases 013, 016, 093).
    Fault("node_is_down", "reach", ("g0034",), "timeout: ", cut("g0034"), way("-oConnectTimeout=1")),
    Fault("node_has_no_sshd", "reach", BOTH, "connection_refused: ", fields=way("-oPort=2")),
    Fault("node_does_not_exist", "reach", BOTH, "unknown_name: ", fields=way("-oHostName=no-such-host.invalid")),
    Fault("host_key_is_unknown", "reach", BOTH, "host_key_unknown: ",
          fields=lambda test: {"reach": ssh(*known_hosts(test, ""))}),
    Fault("host_key_has_changed", "reach", BOTH, "host_key_changed: ", fields=another_key),
    Fault("login_is_refused", "reach", BOTH, "login_refused: ",
          fields=way("-oIdentityFile=/dev/null", "-oIdentitiesOnly=yes", "-oIdentityAgent=none", "-F", "/dev/null",
                     "-oStrictHostKeyChecking=no", "-oUserKnownHostsFile=/dev/null", "-oBatchMode=yes",
                     "-oHostName=10.77.0.1")),
    Fault("way_is_no_program", "reach", BOTH, "no_command: ", fields=lambda test: {"reach": ["/no/such/ssh", "{host}"]}),
    Fault("way_ends_in_no_shell", "reach", BOTH, "unreachable: ", fields=way(through=("true",))),
    # Files (launch-cases 011, 059, 067).
    Fault("data_is_missing_on_a_node", "path same_file", ("g0034",), "data/text: ", data_missing, text_data),
    Fault("data_differs_on_a_node", "same_file", ("g0034",), "text: ", data_differs, text_data),
    Fault("tree_differs_on_a_node", "same_tree", ("g0034",), "data: ", data_differs, tree),
    Fault("declared_path_is_missing", "path", BOTH, "/no/such: missing", fields=needs(paths=["/no/such"])),
    Fault("too_little_space", "space", BOTH, "free bytes in /tmp", fields=needs(free_bytes=1 << 50)),
    Fault("agents_folder_is_read_only", "reach", ("g0034",), "zerosweep", cache("size=8m,ro")),
    Fault("agents_disk_is_full", "reach", ("g0034",), "disk_full: ", cache("size=64k")),
    # Limits (launch-cases 054, 055).
    Fault("too_few_descriptors", "open_files", BOTH, "open_files: 64", fields=way(through=("prlimit", "--nofile=64:64"))),
    Fault("too_little_locked_memory", "memlock", BOTH, "memlock_bytes: 65536",
          fields=lambda test: {"reach": [*ssh(), *NO_PRIVILEGE]} | needs(memlock_bytes=-1)(test)),
    Fault("limit_cannot_be_raised", "ulimit", BOTH, "hard limit of open_files: 512",
          fields=lambda test: {"reach": [*ssh(), *NO_LIMITS], "ulimits": "{ open_files: 4096 }"}),
    Fault("dev_shm_is_too_small", "shm", ("g0034",), "free bytes in /dev/shm",
          lambda test: mounted("g0034", "/dev/shm", "size=1m"), needs(shm_bytes=1 << 22)),
    # The network that variables name (launch-cases 026).
    Fault("interface_is_not_there", "network", BOTH, "ib7 is not there", fields=interface("GLOO_SOCKET_IFNAME", "ib7")),
    Fault("interfaces_are_in_two_networks", "network", ("g0034",), "10.99.0.0/24",
          two_bridges("10.98.0.1/24", "10.99.0.2/24"), interface("NCCL_SOCKET_IFNAME", "=br-x")),
    Fault("interface_is_down", "network", ("g0034",), "br-x (down",
          two_bridges("10.98.0.1/24", "10.98.0.2/24", up=False), interface("NCCL_SOCKET_IFNAME", "br-x")),
    # GPUs that are asked for and not there: unknown is not ok.
    Fault("no_gpu", "gpus gpu_idle gpu_errors", BOTH, "nvidia-smi does not tell", fields=lambda test: {"device": "'cuda'"}),
    # Earlier runs.
    Fault("process_of_an_earlier_run", "leftovers", BOTH, "of run an-old-run", leftover),
]


class CheckFaultTest(ClusterTest):
    def experiment(self, fields):
        return self.write("fault.jsonnet", sweep(remote("z0", pattern=PAIR, ranks=1, **fields)))

    def refuse(self, fault):
        path = self.experiment(fault.fields(self) if fault.fields is not dict else {})
        with fault.make(self) if fault.make is not contextlib.nullcontext else fault.make():
            begin = time.monotonic()
            _, err = self.check_run(5, path)
            self.assertLess(time.monotonic() - begin, 60)
        self.assertEqual(
            set(self.failed_checks()), {(check, node) for check in fault.check.split() for node in fault.nodes}, err)
        for (found,) in self.query("SELECT found FROM checks WHERE status NOT IN ('pass', 'warn')"):
            self.assertIn(fault.said, found)
        self.assertEqual(self.query("SELECT count(*) FROM ranks"), [(0,)])
        self.assertEqual(self.query("SELECT process, measurement, verdict FROM runs"), [("lost", "no_data", "fail")])
        self.assert_hosts_are_clean()
        self.assert_record_is_whole()
        self.assert_next_passes(PAIR)

    def test_a_port_that_a_stranger_holds_is_left_to_him(self):
        """launch-case 027: the check says who holds it, and the run takes another."""
        code = "import socket; s = socket.create_server(('', 6000)); print('listens', flush=True); s.accept()"
        path = self.write("port.jsonnet", sweep(remote("z0", pattern=PAIR, ranks=1, port=6000)))
        with in_background("g0033", "python3", "-c", code):
            self.check_run(0, path)
            (found,), = self.query("SELECT found FROM checks WHERE name = 'master_port'")
            self.assertRegex(found, r"is free \(instead: port 6000 is in use by pid \d+ \(python3\)\)")
        self.assert_next_passes(PAIR)

    def test_program_is_in_the_login_path_alone(self):
        """launch-case 010: found where the experiment asks for the login shell, and refused where it does not."""
        for host in BOTH:
            home = pathlib.Path(CLUSTER, host)
            (home / "own").mkdir()
            (home / "own" / "my-trainer").write_text("#!/bin/sh\necho loss 1.5 at step 1\necho with $OF_LOGIN and $OF_BOTH\n")
            (home / "own" / "my-trainer").chmod(0o755)
            (home / ".profile").write_text(f"export PATH=$PATH:{home}/own OF_LOGIN=modules OF_BOTH=login\n")
            self.addCleanup(shutil.rmtree, home / "own")
            self.addCleanup((home / ".profile").unlink)
        path = self.write("login.jsonnet", sweep("""{ name: 'login', backend: 'command', topology: %s,
            login_shell: false, env: { OF_BOTH: 'experiment' },
            command: { argv: ['my-trainer'], step_pattern: @'step (\\d+)', loss_pattern: @'loss (\\S+)' } }"""
            % topology(PAIR, ranks=1)))
        self.check_run(5, path)
        self.assertEqual(self.failed_checks(), [("program", host) for host in BOTH])
        path = self.write("login.jsonnet", pathlib.Path(path).read_text().replace("login_shell: false", "login_shell: true"))
        self.check_run(0, path)
        out, _ = self.check_run(0, "logs", "login", "--rank", "1")
        self.assertIn("with modules and experiment", out)
        for (in_effect,) in self.query("SELECT in_effect FROM nodes WHERE run_id = (SELECT max(id) FROM runs)"):
            self.assertRegex(in_effect, "login shell /bin/bash: .* OF_LOGIN")
            self.assertNotIn("modules", in_effect)
        self.assert_next_passes(PAIR)

    def test_what_is_accepted_is_a_warning(self):
        path = self.experiment({"checks": json.dumps({"paths": ["/no/such"], "accept": ["path"]})})
        self.check_run(0, path)
        self.assertEqual(
            self.query("SELECT node, status FROM checks WHERE name = 'path' ORDER BY node"),
            [("g0033", "warn"), ("g0034", "warn")])
        self.assert_next_passes(PAIR)

    def test_an_agent_of_another_version_goes_when_it_is_old(self):
        folder = pathlib.Path(CLUSTER, "g0034", "zerosweep")
        for agent in folder.glob("agent-*"):
            agent.unlink()
        folder.mkdir(parents=True, exist_ok=True)
        stale = folder / ("agent-" + "0" * 64)
        stale.write_text("not for this runner")
        os.utime(stale, (time.time() - 30 * 86400,) * 2)
        self.assert_next_passes(PAIR)
        self.assertFalse(stale.exists())


def add_test(fault):
    def test(self):
        self.refuse(fault)
    setattr(CheckFaultTest, f"test_{fault.name}_is_refused", test)


for each in FAULTS:
    add_test(each)

if __name__ == "__main__":
    unittest.main()
