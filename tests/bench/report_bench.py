"""`report --compare` over ten million steps beside a plain sqlite3 scan of the same columns.

    bazel run -c opt //tests/bench:report_bench [-- STEPS_A_RUN]
"""
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

RUNNER = os.path.abspath("runner/runner")
RUNS = 100
APPLICATION_ID = 0x7A737770


def fill(path, steps):
    """A database of RUNS experiments, one valid run of STEPS steps each."""
    store = pathlib.Path("results/store")
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.executescript((store / "schema.sql").read_text())
    connection.executescript((store / "views.sql").read_text())
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 1")
    connection.execute("BEGIN")
    connection.execute("INSERT INTO sweeps VALUES (1, 'bench', 'bench.jsonnet', '[]', '', 'here', 1, 0, 0, 1, 0, '')")
    connection.execute("INSERT INTO environments VALUES (1, 'none', '{}')")
    noise = random.Random(1)
    for run in range(1, RUNS + 1):
        connection.execute(
            "INSERT INTO experiments (id, sweep_id, name, key, key_parts_json, spec_json, needs_json, backend, model, "
            "world_size_requested, warmup_steps, dtype) VALUES (?, 1, ?, ?, '{}', '{}', '[]', 'engine', 'm', 2, 5, 'fp32')",
            (run, f"z{run}", f"key {run}"))
        connection.execute(
            "INSERT INTO runs (id, experiment_id, sweep_id, key, attempt, repeat, token, environment_id, started_unix_ms, "
            "ended_unix_ms, world_size_effective, process, measurement, verdict) "
            "VALUES (?, ?, 1, ?, 1, 1, '', 1, 0, 1, 2, 'exited', 'valid', 'pass')", (run, run, f"key {run}"))
        level = 100 + run / 50
        connection.executemany(
            "INSERT INTO steps (run_id, step, step_ms, comm_exposed_ms, tokens, loss) VALUES (?, ?, ?, 5.0, 1024, ?)",
            ((run, step, level * noise.gauss(1, 0.02), 4 - step * 1e-6) for step in range(1, steps + 1)))
    connection.execute("COMMIT")
    connection.close()


def seconds(command):
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
    folder = pathlib.Path(tempfile.mkdtemp(prefix="zs-bench-"))
    try:
        path = folder / "results.db"
        fill(path, steps)
        scan = ["sqlite3", "-readonly", str(path), "SELECT step, step_ms, comm_exposed_ms, tokens, loss, loss_nan FROM steps"]
        report = [RUNNER, "report", "--compare", "z1,z*", "--db", str(path), "--format", "json"]
        seconds(scan)  # the file is in memory from now on
        scan_s = min(seconds(scan) for _ in range(3))
        report_s = min(seconds(report) for _ in range(3))
        print(f"{RUNS * steps} steps: scan {scan_s:.2f} s, report {report_s:.2f} s, {report_s / scan_s:.2f}x")
        return 0 if report_s <= 2 * scan_s else 1
    finally:
        shutil.rmtree(folder, True)


if __name__ == "__main__":
    sys.exit(main())
