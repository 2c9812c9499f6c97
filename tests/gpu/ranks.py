"""Starts the engine's ranks on this machine and reads what they say."""
import json
import os
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def config_of(path, changes):
    """The configuration at PATH with CHANGES, {"train.seed": 2}."""
    with open(path) as file:
        config = json.load(file)
    for name, value in changes.items():
        *parents, last = name.split(".")
        node = config
        for parent in parents:
            node = node.setdefault(parent, {})
        node[last] = value
    return config


def write_config(config):
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump(config, file)
    return file.name


def parse_events(text):
    """The JSON objects among the lines of TEXT; libraries print others."""
    events = []
    for line in text.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            events.append(event)
    return events


def one_gpu_for_all(rank):
    """What lets ranks share the first GPU: NCCL refuses that within a host, and
    takes each rank's host to be another one. They talk through sockets then."""
    return {"LOCAL_RANK": "0", "NCCL_HOSTID": f"host{rank}", "NCCL_SOCKET_IFNAME": "lo"}


class Ranks:
    """RANKS processes of one run, with the variables that torchrun sets and
    those of ENV. With ZS_ONE_GPU in the environment all share the first GPU."""

    def __init__(self, config, ranks, env=None):
        self.path = write_config(config)
        self.files = [(tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+"))
                      for _ in range(ranks)]
        port = free_port()
        self.processes = []
        for rank, (out, err) in enumerate(self.files):
            variables = dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank),
                             WORLD_SIZE=str(ranks), LOCAL_WORLD_SIZE=str(ranks),
                             MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
            if "ZS_ONE_GPU" in os.environ:
                variables.update(one_gpu_for_all(rank))
            variables.update(env or {})
            self.processes.append(subprocess.Popen(
                [os.path.join(HERE, "run"), "engine", "--config", self.path],
                env=variables, stdout=out, stderr=err))

    def wait(self, timeout_s):
        """(exit status, standard output, standard error) of each rank; those
        that run longer than TIMEOUT_S together are killed."""
        try:
            for process in self.processes:
                process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            for process in self.processes:
                process.kill()
        results = []
        for process, (out, err) in zip(self.processes, self.files):
            process.wait()
            out.seek(0)
            err.seek(0)
            results.append((process.returncode, out.read(), err.read()))
        os.unlink(self.path)
        return results


def predict(config, ranks):
    """(bytes by operation, bytes by component) that a run should take."""
    path = write_config(config)
    done = subprocess.run([os.path.join(HERE, "run"), "predict", path, str(ranks)],
                          stdout=subprocess.PIPE, text=True, env={k: v for k, v in os.environ.items() if k != "RUN_WITH"})
    os.unlink(path)
    if done.returncode != 0:
        sys.exit(done.returncode)  # it has said why
    step, memory = parse_events(done.stdout)
    return {use["op"]: use["bytes"] for use in step["comm"]}, memory["mem_peak_bytes"]
