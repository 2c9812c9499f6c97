"""Data-parallel training with PyTorch and Gloo, small enough for a test; goes wrong on request."""
import argparse
import datetime
import os
import signal
import time

import torch
import torch.distributed as dist


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--fault", choices=["none", "raise", "kill", "hang", "port"], default="none")
    parser.add_argument("--fault-rank", type=int, default=1)
    parser.add_argument("--fault-step", type=int, default=3)
    return parser.parse_args()


def break_down(fault):
    if fault == "raise":
        raise ValueError("sample 17 has no label")
    if fault == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if fault == "hang":
        time.sleep(10_000)


def meet(args, rank):
    if args.fault == "port" and rank == args.fault_rank:
        os.environ["MASTER_PORT"] = "1"  # where nobody listens
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=15))


def main():
    args = arguments()
    rank = int(os.environ["RANK"])
    torch.manual_seed(1)
    meet(args, rank)
    weights = torch.zeros(16, requires_grad=True)
    inputs, targets = torch.randn(64, 16), torch.randn(64)
    for step in range(1, args.steps + 1):
        start = time.monotonic()
        if rank == args.fault_rank and step == args.fault_step:
            break_down(args.fault)
        part = slice(rank, None, dist.get_world_size())
        loss = ((inputs[part] @ weights - targets[part]) ** 2).mean()
        loss.backward()
        dist.all_reduce(weights.grad)
        with torch.no_grad():
            weights -= 0.01 * weights.grad
            weights.grad = None
        if rank == 0:
            ms = (time.monotonic() - start) * 1000
            print(f"step {step} | loss {loss.item():.6f} | {ms:.3f} ms | 64 tokens", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
