#!/usr/bin/env python3
"""Memory and CPU of the runner itself while 8 nodes write 10,000 lines a second together.

  bazel build //runner && tests/bench/runner_load.py [SECONDS]

The nodes are addresses of a network namespace of its own (needs root); each has a shell, an agent and one rank that
writes 1,250 lines of 120 bytes a second, every tenth of a second an eighth of them. The first five seconds are left out.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNNER = ROOT / "bazel-bin/runner/runner"
NODES = [f"10.78.0.{k}" for k in range(1, 9)]
LINES = 1250
SKIP_S = 5
RANK = """
import os, sys, time
rank, seconds, step = int(os.environ["RANK"]), float(sys.argv[1]), 0
line = ("x" * 100).join(["rank %2d says ", "\\n"]) % rank
begin = time.monotonic()
while time.monotonic() < begin + seconds:
    step += 1
    if rank == 0:
        sys.stdout.write("step %d loss 1.5\\n" % step)
    sys.stdout.write(line * 125)
    sys.stdout.flush()
    time.sleep(max(0, begin + step / 10 - time.monotonic()))
"""


def experiment(script, seconds):
    return {"name": "load", "backend": "command", "limits": {"total_s": seconds + 60},
            "topology": {"nodes": NODES, "ranks_per_node": 1, "reach": ["env", "ZS_BENCH_NODE={host}"]},
            "command": {"argv": ["/usr/bin/python3", str(script), str(seconds)], "step_pattern": r"^step (\d+)"}}


def cpu_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def steps(folder):
    return sum(log.stat().st_size for log in folder.glob("results/artifacts/*/load/*/rank0.log"))


def measure(folder, seconds):
    script = folder / "rank.py"
    script.write_text(RANK)
    file = folder / "load.json"
    file.write_text(json.dumps({"schema": 1, "sweep": "load", "experiments": [experiment(script, seconds)]}))
    environment = dict(os.environ, XDG_CACHE_HOME=str(folder / "cache"))
    process = subprocess.Popen([RUNNER, file], cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True)
    while process.poll() is None and steps(folder) == 0:
        time.sleep(0.01)
    time.sleep(SKIP_S)
    first, begin, last = cpu_s(process.pid), time.monotonic(), None
    while process.poll() is None and time.monotonic() < begin + seconds - SKIP_S - 1:
        time.sleep(0.2)
        last = cpu_s(process.pid), time.monotonic(), peak_mib(process.pid)
    _, err = process.communicate()
    if process.returncode != 0 or last is None:
        sys.exit(err)
    lines = sum(log.read_bytes().count(b"\n") for log in folder.glob("results/artifacts/*/load/*/rank*.log"))
    return (last[0] - first) / (last[1] - begin), last[2], lines / seconds


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    if os.environ.get("ZS_BENCH_INSIDE") != "yes":
        os.execvpe("unshare", ["unshare", "--net", sys.executable, __file__, str(seconds)], dict(os.environ, ZS_BENCH_INSIDE="yes"))
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    subprocess.run(["ip", "link", "add", "d0", "type", "dummy"], check=True)
    subprocess.run(["ip", "link", "set", "d0", "up"], check=True)
    for node in NODES:
        subprocess.run(["ip", "addr", "add", f"{node}/24", "dev", "d0"], check=True)
    with tempfile.TemporaryDirectory() as name:
        core, mib, lines = measure(pathlib.Path(name), seconds)
    print(f"{len(NODES)} nodes, {lines:.0f} lines/s: {100 * core:.1f}% of a core (limit 20), at most {mib:.0f} MiB (limit 100)")
    return 0 if core <= 0.2 and mib <= 100 else 1


if __name__ == "__main__":
    sys.exit(main())
