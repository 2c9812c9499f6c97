"""Starts the real runner on real files, in a folder of its own."""
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import unittest

RUNNER = os.path.abspath("runner/runner")

# A model that trains in milliseconds.
TINY_MODEL = """{
  name: 'tiny', layers: 2, hidden: 32, heads: 4, kv_heads: 2, head_size: 8, ffn: 64, vocab: 256, max_seq_len: 64,
  norm: 'rmsnorm', position: 'rope', activation: 'swiglu', qk_norm: true,
}"""


def experiment(name, **fields):
    """The Jsonnet of one experiment; fields are Jsonnet texts that replace or add."""
    values = {
        "name": f"'{name}'",
        "backend": "'engine'",
        "device": "'cpu'",
        "model": TINY_MODEL,
        "data": "{ kind: 'random' }",
        "train": "{ zero_stage: 0, micro_batch: 2, global_batch: 8, seq_len: 16, steps: 12, warmup_steps: 1 }",
        "topology": "{ nodes: ['localhost'], ranks_per_node: 2 }",
    }
    values.update(fields)
    return "{" + ", ".join(f"{key}: {value}" for key, value in values.items()) + "}"


def train(stage=0, steps=12, **fields):
    values = {"zero_stage": stage, "micro_batch": 2, "global_batch": 8, "seq_len": 16, "steps": steps, "warmup_steps": 1}
    values.update(fields)
    return json.dumps(values)


def sweep(*experiments, name="e2e"):
    return f"{{ schema: 1, sweep: '{name}', experiments: [{', '.join(experiments)}] }}"


def two_nodes(ranks):
    """A topology of two names of this host, RANKS on each; empty where it has no address but loopback.

    The reach only sets a variable, so that each name has an agent of its own.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.255.255.255", 1))  # sends nothing
            address = probe.getsockname()[0]
        except OSError:
            return ""
    if address.startswith("127."):
        return ""
    return (f"{{ nodes: ['{address}', 'localhost'], ranks_per_node: {ranks}, "
            "reach: ['env', 'ZS_TEST_NODE={host}'] }")


class RunnerTest(unittest.TestCase):
    runner = RUNNER  # a test may set another, with another engine beside it

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="zs-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.db = self.folder / "results" / "results.db"

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def environment(self):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("BUILD_")}
        environment.update(HOME=str(self.folder), NO_COLOR="1")
        environment.pop("RUNNER_DB", None)
        return environment

    def start(self, *words, **options):
        return subprocess.Popen(
            [self.runner, *map(str, words)], cwd=self.folder, env=self.environment(),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", **options)

    def run_runner(self, *words, timeout=120):
        """(exit code, stdout, stderr)"""
        process = self.start(*words)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return process.returncode, out, err

    def check_run(self, expected_code, *words, timeout=120):
        code, out, err = self.run_runner(*words, timeout=timeout)
        self.assertEqual(code, expected_code, f"stdout:\n{out}\nstderr:\n{err}")
        return out, err

    def query(self, sql, *parameters):
        connection = sqlite3.connect(f"file:{self.db}?mode=ro", uri=True)
        try:
            return connection.execute(sql, parameters).fetchall()
        finally:
            connection.close()

    def assert_database_is_whole(self):
        self.assertEqual(self.query("PRAGMA integrity_check"), [("ok",)])

    def our_processes(self):
        """Processes that a run of this test's folder has left: ranks and agents, by token or by folder."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                command = (entry / "cmdline").read_bytes()
                state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
            except OSError:
                continue
            if state != "Z" and str(self.folder).encode() in command:
                found.append((int(entry.name), command.replace(b"\0", b" ").decode(errors="replace")))
        return found

    def assert_nothing_left(self, within_s=10):
        deadline = time.monotonic() + within_s
        while self.our_processes() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.our_processes(), [])

    def wait_for(self, condition, within_s=30):
        deadline = time.monotonic() + within_s
        while not condition():
            self.assertLess(time.monotonic(), deadline, "waited in vain")
            time.sleep(0.01)


def kill(process, number=signal.SIGKILL):
    process.send_signal(number)
