#!/usr/bin/env python3
"""Plays faults with the engine on this machine's GPUs and looks at how each
rank ends:

  faults.py [--gpus N] [NAME]...

Prints PASS or FAIL for each; exit status 1 where one failed. With one GPU the
faults that need several ranks are left out.
"""
import argparse
import glob
import os
import signal
import subprocess
import sys
import tempfile
import time

import ranks

SMALL = os.path.join(ranks.HERE, "runs/qwen3_small.json")
LARGE = os.path.join(ranks.HERE, "runs/qwen3_1p7b_mb8.json")
EXITS = {"peer_lost": 67, "out_of_memory": 68, "invalid_loss": 69, "unavailable": 72, "rendezvous": 66}
LIMIT_S = 30


class Fault(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Fault(message)


def error_of(out):
    errors = [e for e in ranks.parse_events(out) if e.get("event") == "error"]
    return errors[-1] if errors else {"code": "", "message": ""}


def expect_end(result, code, *words):
    """The rank ended with CODE and an error that has all WORDS."""
    status, out, err = result
    error = error_of(out)
    expect(status == EXITS[code] and error["code"] == code,
           f"exit status {status}, error {error}, stderr {err[-300:]}")
    for word in words:
        expect(word in error["message"], f"{word!r} is not in: {error['message']}")
    return error["message"]


def endless(count, **changes):
    """Ranks that train until something happens; returns once they train."""
    config = ranks.config_of(SMALL, {"train.steps": 10**6, "train.global_batch": 2 * count,
                                     "collective_timeout_s": 20, **changes})
    started = ranks.Ranks(config, count)
    out = started.files[0][0]
    for _ in range(600):
        out.seek(0)
        if '"step"' in out.read():
            out.seek(0, 2)
            return started
        time.sleep(0.1)
    started.wait(0.1)
    raise Fault("no step within 60 s")


def ends_without(started, signal_number, meanwhile=lambda _: None):
    """Stops the last rank of STARTED and then does MEANWHILE; how the first one
    ends."""
    begin = time.monotonic()
    victim = started.processes[-1]
    victim.send_signal(signal_number)
    try:
        meanwhile(started)
        started.processes[0].wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        raise Fault(f"rank 0 still ran {LIMIT_S} s after") from None
    finally:
        took = time.monotonic() - begin
        for process in started.processes:
            process.kill()
    message = expect_end(started.wait(1)[0], "peer_lost")
    expect(f"rank {len(started.processes) - 1}" in message or "collective" in message or "NCCL" in message, message)
    return f"{took:.1f} s: {message}"


def peer(count, signal_number):
    """Stops the last rank in mid-training."""
    return ends_without(endless(count), signal_number)


def peer_in_save(count, signal_number, meanwhile=lambda _: None):
    """Stops the last rank while it writes its part of a checkpoint: the others
    wait for it in host memory then."""
    with tempfile.TemporaryDirectory() as save_dir:
        started = endless(count, **{"model.hidden": 512, "model.ffn": 2048, "checkpoint.save_dir": save_dir,
                                    "checkpoint.save_every": 1})
        writes = f"{save_dir}/.step_*.tmp/rank_{count - 1:05}.bin"
        deadline = time.monotonic() + LIMIT_S
        while not glob.glob(writes) and time.monotonic() < deadline:
            pass
        said = ends_without(started, signal_number, meanwhile)
        expect("checkpoint" in said, f"it did not end in the save: {said}")
        return said


def expect_waits(started):
    """Rank 0 says that it waits for a collective operation."""
    time.sleep(3)
    started.processes[0].send_signal(signal.SIGUSR1)
    time.sleep(1)
    out = started.files[0][0]
    out.seek(0)
    told = [e for e in ranks.parse_events(out.read()) if e.get("event") == "position"]
    expect(told and told[-1]["waiting"] and told[-1]["elapsed_ms"] > 1000, f"asked where it is, rank 0 said {told}")


def rank_killed(gpus):
    return peer(gpus, signal.SIGKILL)


def rank_stopped(gpus):
    return peer(gpus, signal.SIGSTOP)


def rank_killed_in_save(gpus):
    return peer_in_save(gpus, signal.SIGKILL)


def rank_stopped_in_save(gpus):
    return peer_in_save(gpus, signal.SIGSTOP, expect_waits)


def out_of_memory(_):
    config = ranks.config_of(LARGE, {"train.micro_batch": 64, "train.global_batch": 64, "train.steps": 2,
                                     "train.warmup_steps": 0, "train.deterministic": True})
    return expect_end(ranks.Ranks(config, 1).wait(120)[0], "out_of_memory", "activations", "free", "train.micro_batch")


def gpu_in_use(_):
    """Another process holds most of the GPU."""
    taken = subprocess.Popen([sys.executable, "-c", "import torch, time\n"
                              "x = torch.empty(int(torch.cuda.mem_get_info()[0] * 0.9), dtype=torch.uint8, device='cuda')\n"
                              "print('taken', flush=True)\ntime.sleep(60)"], stdout=subprocess.PIPE, text=True)
    try:
        expect(taken.stdout.readline().strip() == "taken", "PyTorch did not take the memory")
        config = ranks.config_of(LARGE, {"train.steps": 2, "train.warmup_steps": 0, "train.deterministic": True})
        return expect_end(ranks.Ranks(config, 1).wait(60)[0], "out_of_memory", "in use by other processes")
    finally:
        taken.kill()
        taken.wait()


def invalid_loss(_):
    config = ranks.config_of(SMALL, {"train.lr": 100.0, "train.weight_decay": 100.0, "train.steps": 200})
    return expect_end(ranks.Ranks(config, 1).wait(60)[0], "invalid_loss", "step ")


def too_few_gpus(gpus):
    count = gpus + 1
    config = ranks.config_of(SMALL, {"train.global_batch": 2 * count, "train.steps": 2, "train.warmup_steps": 0,
                                     "collective_timeout_s": 20})
    return expect_end(ranks.Ranks(config, count).wait(60)[-1], "unavailable", f"shows {gpus}")


def no_gpu(_):
    config = ranks.config_of(SMALL, {"train.steps": 2, "train.warmup_steps": 0})
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    try:
        return expect_end(ranks.Ranks(config, 1).wait(60)[0], "unavailable", "CUDA_VISIBLE_DEVICES")
    finally:
        del os.environ["CUDA_VISIBLE_DEVICES"]


def shared_gpu(_):
    """Two ranks that are shown the same GPU: NCCL refuses, and says so."""
    config = ranks.config_of(SMALL, {"train.global_batch": 4, "train.steps": 2, "train.warmup_steps": 0,
                                     "collective_timeout_s": 20})
    results = ranks.Ranks(config, 2, {"LOCAL_RANK": "0"}).wait(60)
    for result in results:
        error = error_of(result[1])
        expect(result[0] != 0 and error["message"], f"exit status {result[0]}, error {error}")
    return "; ".join(error_of(result[1])["message"] for result in results)


# (what is played, the least number of GPUs)
FAULTS = [(out_of_memory, 1), (gpu_in_use, 1), (invalid_loss, 1), (too_few_gpus, 1), (no_gpu, 1), (shared_gpu, 1), (rank_killed, 2),
          (rank_stopped, 2), (rank_killed_in_save, 2), (rank_stopped_in_save, 2)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    failed = 0
    for play, least in FAULTS:
        name = play.__name__
        if least > args.gpus or (args.names and name not in args.names):
            continue
        begin = time.monotonic()
        try:
            said = play(args.gpus)
            print(f"PASS {name} ({time.monotonic() - begin:.0f} s): {said}", flush=True)
        except Fault as fault:
            failed += 1
            print(f"FAIL {name}: {fault}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
