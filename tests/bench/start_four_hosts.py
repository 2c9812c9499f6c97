#!/usr/bin/env python3
"""From the command to the first line of a rank on four hosts: the runner beside pdsh, which starts the same program
with the same environment. Both in turn, each REPEATS times; medians.

  bazel build //runner && tests/cluster/four_hosts.sh tests/bench/start_four_hosts.py [REPEATS]
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNNER = ROOT / "bazel-bin/runner/runner"
CLUSTER = os.environ["ZS_CLUSTER"]
HOSTS = ["g0033", "g0034", "g0035", "g0036"]

MODEL = {"name": "tiny", "layers": 2, "hidden": 32, "heads": 4, "kv_heads": 4, "head_size": 8, "ffn": 64, "vocab": 256,
         "max_seq_len": 64, "norm": "rmsnorm", "position": "rope", "activation": "swiglu"}
EXPERIMENT = {
    "name": "x", "backend": "engine", "device": "cpu", "threads_per_rank": 1, "model": MODEL, "data": {"kind": "random"},
    "env": {"GLOO_SOCKET_IFNAME": "eth0"},
    "train": {"zero_stage": 0, "micro_batch": 1, "global_batch": 4, "seq_len": 16, "steps": 2},
    "topology": {"nodes": HOSTS, "ranks_per_node": 1, "reach": ["ssh", "-F", f"{CLUSTER}/ssh_config", "{host}"]},
}


def first_line_of(process, begin):
    process.stdout.readline()
    elapsed = time.monotonic() - begin
    process.communicate()
    if process.returncode != 0:
        sys.exit(f"{process.args[0]} ended with {process.returncode}")
    return elapsed


def is_written(path):
    try:
        return path.stat().st_size > 0
    except FileNotFoundError:
        return False


def with_runner(folder, file):
    """Until the log of any rank has its first byte; looking costs no more than waiting does in the other program."""
    logs = [folder / "artifacts/start-1/x/1.1" / f"rank{k}.log" for k in range(len(HOSTS))]
    begin = time.monotonic()
    process = subprocess.Popen([RUNNER, file, "--rerun", "--db", folder / "results.db"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not any(map(is_written, logs)):
        time.sleep(0.004)
    elapsed = time.monotonic() - begin
    _, err = process.communicate()
    if process.returncode != 0:
        sys.exit(err)
    return elapsed


def with_pdsh(config):
    """pdsh's %n is the rank: its place among the hosts."""
    engine = next(pathlib.Path(CLUSTER, "g0033", "zerosweep").glob("files/*/engine"))
    line = (f"RANK=%n LOCAL_RANK=0 WORLD_SIZE=4 LOCAL_WORLD_SIZE=1 MASTER_ADDR=10.77.0.1 MASTER_PORT=29500 "
            f"GLOO_SOCKET_IFNAME=eth0 {engine} --config {config}")
    environment = dict(os.environ, PDSH_SSH_ARGS=f"-F {CLUSTER}/ssh_config -a -x %h")
    begin = time.monotonic()
    process = subprocess.Popen(["pdsh", "-R", "ssh", "-S", "-w", ",".join(HOSTS), line], env=environment,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return first_line_of(process, begin)


def main():
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        file = root / "sweep.json"
        file.write_text(json.dumps({"schema": 1, "sweep": "start", "experiments": [EXPERIMENT]}))
        for k in range(repeats + 1):
            folder = root / str(k)
            folder.mkdir()
            elapsed = with_runner(folder, file)
            config = next(folder.glob("artifacts/*/x/*/config.json"))
            if k > 0:  # the first one also puts agent and engine on the hosts
                ours.append(elapsed)
                theirs.append(with_pdsh(config))
    for who, times in (("runner", ours), ("pdsh", theirs)):
        print(f"{who}: median {statistics.median(times):.3f} s, from {min(times):.3f} to {max(times):.3f} s of {len(times)}")
    print(f"ratio {statistics.median(ours) / statistics.median(theirs):.2f}")


if __name__ == "__main__":
    main()
