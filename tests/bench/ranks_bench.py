#!/usr/bin/env python3
"""Tokens/s of two ranks of one thread each: the engine (ZeRO 0) beside PyTorch's DistributedDataParallel over Gloo.

  bazel build //engine && /usr/bin/python3 tests/bench/ranks_bench.py [MODEL [STEPS [ROUNDS]]]

The two run in turn; the ratio is that of the medians over all rounds, the first two steps of each run left out.
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
sys.path[:0] = [str(ROOT), str(ROOT / "tests/bench")]
RANKS = 2
SKIP = 2


def start(argv, rank, port):
    environment = dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(RANKS), LOCAL_WORLD_SIZE=str(RANKS),
                       MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), OMP_NUM_THREADS="1")
    return subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def step_times(argv, port, read):
    ranks = [start(argv, rank, port) for rank in range(RANKS)]
    lines = ranks[0].communicate()[0].splitlines()
    if any(rank.wait() for rank in ranks):
        sys.exit(f"{argv[0]} failed")
    return [ms for ms in map(read, lines) if ms is not None][SKIP:]


def engine_ms(line):
    event = json.loads(line) if line.startswith("{") else {}
    return event.get("step_ms")


def torch_rank(path):
    import torch
    import torch.distributed
    from tests.parity import torch_decoder

    with open(path) as file:
        config = json.load(file)
    model, train = config["model"], config["train"]
    torch.set_num_threads(1)
    torch.manual_seed(1)
    torch.distributed.init_process_group("gloo")

    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            named = {}
            for name, shape, _ in torch_decoder.layout(model):
                first = torch.ones(shape) if name.endswith("norm.weight") else torch.randn(shape) * 0.02
                named[name] = torch.nn.Parameter(first)
                self.register_parameter(name.replace(".", "_"), named[name])
            self.decoder = torch_decoder.Decoder(model, named, train["seq_len"])

        def forward(self, tokens, targets):
            return self.decoder.loss(tokens, targets)

    module = torch.nn.parallel.DistributedDataParallel(Module())
    optimizer = torch.optim.AdamW(module.parameters(), lr=train["lr"], betas=(0.9, 0.95), weight_decay=0.1, foreach=True)
    size = (train["micro_batch"], train["seq_len"])
    for _ in range(train["steps"]):
        tokens, targets = (torch.randint(model["vocab"], size) for _ in range(2))
        begin = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        module(tokens, targets).backward()
        torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        optimizer.step()
        print(1e3 * (time.perf_counter() - begin), flush=True)


def main():
    from engine_bench import config_of

    name = sys.argv[1] if len(sys.argv) > 1 else "gpt_smoke"
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    config = config_of(name, 256, 4)
    config["train"].update(global_batch=4 * RANKS, steps=steps + SKIP)
    times = {"engine": [], "torch": []}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(config, file)
        file.flush()
        for k in range(rounds):
            times["engine"] += step_times([str(ROOT / "bazel-bin/engine/engine"), "--config", file.name], 22000 + 2 * k, engine_ms)
            times["torch"] += step_times(["/usr/bin/python3", __file__, "--rank", file.name], 22001 + 2 * k, float)
    medians = {side: statistics.median(values) for side, values in times.items()}
    for side, ms in medians.items():
        print(f"{name} {RANKS} ranks {side}: {4 * RANKS * 256 / ms * 1000:.0f} tokens/s, step {ms:.1f} ms")
    print(f"{name} {RANKS} ranks: {medians['torch'] / medians['engine']:.2f} times PyTorch")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--rank"]:
        torch_rank(sys.argv[2])
    else:
        main()
