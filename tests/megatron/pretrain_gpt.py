"""A stand-in for Megatron-LM's script: accepts exactly the arguments of the version beside it, and prints its lines.

It trains nothing. The version is that of megatron/core/package_info.py in its own folder. What a version asserts about
combinations of arguments is asserted here too, with its words.
"""
import argparse
import datetime
import math
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent

# (argument, type or None for a switch, first minor version, end)
ARGUMENTS = [
    *[(name, int, 0, 99) for name in (
        "num-layers", "hidden-size", "ffn-hidden-size", "num-attention-heads", "num-query-groups", "kv-channels",
        "max-position-embeddings", "rotary-base", "make-vocab-size-divisible-by", "vocab-size", "micro-batch-size",
        "global-batch-size", "seq-length", "train-iters", "seed", "lr-warmup-iters", "recompute-num-layers",
        "eval-interval", "eval-iters", "save-interval", "log-interval", "tensor-model-parallel-size",
        "pipeline-model-parallel-size", "num-workers", "ckpt-step")],
    *[(name, float, 0, 99) for name in (
        "norm-epsilon", "rotary-percent", "init-method-std", "attention-dropout", "hidden-dropout", "lr", "min-lr",
        "weight-decay", "adam-beta1", "adam-beta2", "adam-eps", "clip-grad")],
    *[(name, str, 0, 99) for name in (
        "tokenizer-model", "split", "save", "load", "recompute-method")],
    *[(name, None, 0, 99) for name in (
        "group-query-attention", "qk-layernorm", "swiglu", "disable-bias-linear",
        "untie-embeddings-and-output-weights", "bf16", "mock-data", "exit-on-missing-checkpoint", "log-throughput",
        "use-distributed-optimizer", "overlap-grad-reduce", "overlap-param-gather",
        "no-gradient-accumulation-fusion")],
    ("normalization", ["LayerNorm", "RMSNorm"], 0, 99),
    ("position-embedding-type", ["learned_absolute", "rope"], 0, 99),
    ("tokenizer-type", ["NullTokenizer", "HuggingFaceTokenizer"], 0, 99),
    ("lr-decay-style", ["constant", "linear", "cosine"], 0, 99),
    ("recompute-granularity", ["full", "selective"], 0, 99),
    ("data-parallel-sharding-strategy", ["no_shard", "optim", "optim_grads", "optim_grads_params"], 12, 99),
    ("use-custom-fsdp", None, 12, 14),
    ("use-megatron-fsdp", None, 14, 99),
    ("use-torch-fsdp2", None, 10, 99),
    ("ckpt-format", ["torch", "torch_dist", "zarr"], 0, 12),
    ("ckpt-format", ["torch", "torch_dist", "zarr", "torch_dcp"], 12, 14),
    ("ckpt-format", ["torch", "torch_dist", "zarr", "torch_dcp", "fsdp_dtensor"], 14, 99),
]


def version():
    names = {}
    exec((ROOT / "megatron/core/package_info.py").read_text(), names)  # as Megatron-LM itself does
    return names["MINOR"]


def parser_of(minor):
    # As Megatron-LM's own: no abbreviations, unknown arguments end with exit 2.
    parser = argparse.ArgumentParser(description="Megatron-LM Arguments", allow_abbrev=False)
    parser.add_argument("--data-path", nargs="*")
    for name, kind, first, end in ARGUMENTS:
        if not first <= minor < end:
            continue
        if kind is None:
            parser.add_argument("--" + name, action="store_true")
        elif isinstance(kind, list):
            parser.add_argument("--" + name, choices=kind)
        else:
            parser.add_argument("--" + name, type=kind)
    return parser


def fsdp(args):
    return getattr(args, "use_custom_fsdp", False) or getattr(args, "use_megatron_fsdp", False)


def validate(args, minor, world):
    strategy = getattr(args, "data_parallel_sharding_strategy", None)
    if minor in (12, 13) and strategy == "optim_grads":
        args.overlap_grad_reduce = True
    if args.overlap_param_gather:
        assert args.use_distributed_optimizer, "--overlap-param-gather only supported with distributed optimizer"
        assert args.overlap_grad_reduce, "Must use --overlap-param-gather with --overlap-grad-reduce"
    if fsdp(args):
        assert args.use_distributed_optimizer, "FSDP requires the distributed optimizer"
        assert os.environ.get("CUDA_DEVICE_MAX_CONNECTIONS") != "1", \
            "FSDP requires CUDA_DEVICE_MAX_CONNECTIONS > 1 or unset."
        if minor in (12, 13) and strategy.startswith("optim_grads"):
            assert args.no_gradient_accumulation_fusion, "optim_grads requires --no-gradient-accumulation-fusion"
        if minor >= 14:
            assert args.ckpt_format == "fsdp_dtensor", "FSDP requires --ckpt-format fsdp_dtensor"
    elif getattr(args, "ckpt_format", None) == "fsdp_dtensor":
        raise AssertionError("fsdp_dtensor is for Megatron-FSDP alone")
    tensor, pipeline = args.tensor_model_parallel_size, args.pipeline_model_parallel_size
    if tensor > 1:
        assert os.environ.get("CUDA_DEVICE_MAX_CONNECTIONS") == "1", "TP needs CUDA_DEVICE_MAX_CONNECTIONS=1"
    data = world // (tensor * pipeline)
    assert args.global_batch_size % (args.micro_batch_size * data) == 0, "global batch size is not divisible"
    return data


def stamp(minor):
    now = datetime.datetime.now()
    return now.strftime("[%Y-%m-%d %H:%M:%S.%f]" if minor >= 16 else "[%Y-%m-%d %H:%M:%S]")


def print_setup(args, minor, world, data):
    print(f"using world size: {world}, data-parallel size: {data}, context-parallel size: 1, tensor-model-parallel "
          f"size: {args.tensor_model_parallel_size}, pipeline-model-parallel size: {args.pipeline_model_parallel_size}")
    print("------------------------ arguments ------------------------")
    for name, value in sorted(vars(args).items()):
        print(f"  {name} {'.' * (48 - len(name))} {value}")
    print("-------------------- end of arguments ---------------------")
    vocab = args.vocab_size + (1 if minor < 18 else 0)
    padded = math.ceil(vocab / (128 * args.tensor_model_parallel_size)) * 128 * args.tensor_model_parallel_size
    print(f" > padded vocab (size: {vocab}) with {padded - vocab} dummy tokens (new size: {padded})")
    logger = "distributed_data_parallel"
    if fsdp(args):
        logger = "custom_fsdp.fully_sharded_data_parallel" if minor < 14 else "fsdp.mcore_fsdp_adapter"
    strategy = getattr(args, "data_parallel_sharding_strategy", None) or "no_shard"
    sharding = f", data_parallel_sharding_strategy='{strategy}'" if minor >= 12 else ""
    switch = f", use_megatron_fsdp={fsdp(args)}" if minor >= 14 else ""
    print(f"INFO:megatron.core.distributed.{logger}:Setting up DistributedDataParallel with config "
          f"DistributedDataParallelConfig(grad_reduce_in_fp32=True, overlap_grad_reduce={args.overlap_grad_reduce}, "
          f"overlap_param_gather={args.overlap_param_gather}, "
          f"use_distributed_optimizer={args.use_distributed_optimizer}, bucket_size=40000000{switch}{sharding})")
    print("training ...")


def save(args, minor, step):
    time_text = stamp(minor) + " " if minor >= 16 else ""
    print(f"{time_text}saving checkpoint at iteration {step:7d} to {args.save} in {args.ckpt_format} format")
    pathlib.Path(args.save).mkdir(parents=True, exist_ok=True)
    (pathlib.Path(args.save) / f"iter_{step:07d}").mkdir(exist_ok=True)
    (pathlib.Path(args.save) / "latest_checkpointed_iteration.txt").write_text(str(step))
    print(f"  {time_text}successfully saved checkpoint from iteration {step:7d} to {args.save} [ t 1/1, p 1/1 ]")


def load(args):
    if not args.load:
        return 0
    tracker = pathlib.Path(args.load) / "latest_checkpointed_iteration.txt"
    if not tracker.exists():
        print(f"WARNING: could not find the metadata file {tracker}")
        print("    will not load any checkpoints and will start from random")
        if args.exit_on_missing_checkpoint:
            sys.exit(1)
        return 0
    step = args.ckpt_step or int(tracker.read_text())
    assert (pathlib.Path(args.load) / f"iter_{step:07d}").exists(), f"no iteration {step}"
    print(f"  successfully loaded checkpoint from {args.load} [ t 1/1, p 1/1 ] at iteration {step}")
    return step


def train(args, minor, rank, world):
    first = load(args)
    last = int(os.environ.get("STAND_IN_LAST", args.train_iters))
    for step in range(first + 1, last + 1):
        time.sleep(0.002)
        loss = 8 * math.exp(-0.05 * step) + (0.5 if os.environ.get("STAND_IN_FORGETS") and first else 0)
        if rank == world - 1:
            print(f" {stamp(minor)} iteration {step:8d}/{args.train_iters:8d} | consumed samples: "
                  f"{step * args.global_batch_size:12d} | elapsed time per iteration (ms): {100 + step % 3:.1f} | "
                  f"throughput per GPU (TFLOP/s/GPU): 9.5 | learning rate: {args.lr:.6E} | global batch size: "
                  f"{args.global_batch_size:5d} | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: 1.234 | "
                  f"number of skipped iterations:   0 | number of nan iterations:   0 |", flush=True)
        if rank == 0 and step == first + 1:
            print(f"[Rank 0] (after {step} iterations) memory (MB) | allocated: 25075.44 | max allocated: 32346.11 | "
                  f"reserved: 27338.00 | max reserved: 34526.00", flush=True)
        if rank == 0 and args.save and args.save_interval and step % args.save_interval == 0:
            save(args, minor, step)
    if rank == 0:
        if args.save and not (args.save_interval and last % args.save_interval == 0):
            save(args, minor, last)
        if last == args.train_iters:
            print(f"[after training is done] datetime: {datetime.datetime.now():%Y-%m-%d %H:%M:%S} ", flush=True)


def main():
    minor = version()
    args = parser_of(minor).parse_args()
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    data = validate(args, minor, world)
    if rank == 0:
        print_setup(args, minor, world, data)
    train(args, minor, rank, world)


if __name__ == "__main__":
    main()
