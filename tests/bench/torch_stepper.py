"""torch_stepper.py CONFIG.json THREADS: engine_stepper in PyTorch, for comparison.

For each line on stdin takes one step (forward, backward, AdamW) and prints "TOTAL FORWARD BACKWARD OPTIMIZER LOSS" in ms.
"""

import json
import sys
import time

import torch

from tests.parity import torch_decoder


def main():
    with open(sys.argv[1]) as file:
        config = json.load(file)
    torch.set_num_threads(int(sys.argv[2]))
    torch.manual_seed(1)
    model, train = config["model"], config["train"]
    parameters = {}
    for name, shape, _ in torch_decoder.layout(model):
        start = torch.ones(shape) if name.endswith("norm.weight") else torch.randn(shape) * 0.02
        parameters[name] = start.requires_grad_()
    decoder = torch_decoder.Decoder(model, parameters, train["seq_len"])
    # `foreach` is the fastest AdamW that PyTorch has on CPUs.
    optimizer = torch.optim.AdamW(
        parameters.values(), lr=train["lr"], betas=(0.9, 0.95), weight_decay=train["weight_decay"], foreach=True)
    size = (train["micro_batch"], train["seq_len"])
    for _ in sys.stdin:
        tokens = torch.randint(model["vocab"], size)
        targets = torch.randint(model["vocab"], size)
        times = [time.perf_counter()]
        optimizer.zero_grad(set_to_none=True)
        loss = decoder.loss(tokens, targets)
        times.append(time.perf_counter())
        loss.backward()
        times.append(time.perf_counter())
        optimizer.step()
        times.append(time.perf_counter())
        parts = [1e3 * (b - a) for a, b in zip(times, times[1:])]
        print(sum(parts), *parts, loss.item(), flush=True)


if __name__ == "__main__":
    main()
