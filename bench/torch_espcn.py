#!/usr/bin/env python3
"""Times PyTorch on the seed network, ESPCN 1-64-64-32-factor^2, on a CUDA GPU.

    python3 bench/torch_espcn.py [--size 1280x720] [--factor 3] [--runs 50] [--results FILE]

Ways: eager; the same with tensors in channels-last order; that as a CUDA graph; torch.compile in mode max-autotune, which
makes its own graphs. Precisions: fp32, tf32 (fp32 tensors, multiplied in tf32), fp16. Each is timed with CUDA events
over single calls after a warm-up; medians. Weights are random, time does not depend on them; pixel shuffle is included, as
in `median_ms` of `upres bench`. Prints JSON lines like those of `upres bench --json`. Exit code 3 where there is no PyTorch
or no CUDA GPU; a way that fails is reported as a line with "error" and the others still run.
"""

import argparse
import json
import statistics
import sys
import time

try:
    import torch
except ImportError as error:
    print(f"there is no PyTorch here: {error}", file=sys.stderr)
    sys.exit(3)

WARM_UP_S = 0.6  # an idle GPU's clock is low
PRECISIONS = ("fp32", "tf32", "fp16")


def network(factor):
    relu, conv = torch.nn.ReLU, torch.nn.Conv2d
    return torch.nn.Sequential(conv(1, 64, 5, padding=2), relu(), conv(64, 64, 3, padding=1), relu(),
                               conv(64, 32, 3, padding=1), relu(), conv(32, factor * factor, 3, padding=1),
                               torch.nn.PixelShuffle(factor))


def flops(width, height, factor):
    weights = 1 * 64 * 25 + 64 * 64 * 9 + 64 * 32 * 9 + 32 * factor * factor * 9
    return 2 * weights * width * height


def set_precision(precision):
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.benchmark = True


def graphed(model, picture):
    """The model's call recorded once; on a stream of its own and after a few calls, as CUDA graphs want."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(5):
            model(picture)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        model(picture)
    return graph.replay


def prepared(way, factor, size, precision):
    """A function that computes the network once."""
    torch.manual_seed(1)
    dtype = torch.float16 if precision == "fp16" else torch.float32
    model = network(factor).eval().to("cuda", dtype)
    picture = torch.rand(1, 1, size[1], size[0], device="cuda", dtype=dtype)
    if way != "eager":
        model = model.to(memory_format=torch.channels_last)
        picture = picture.to(memory_format=torch.channels_last)
    if way == "graph":
        return graphed(model, picture)
    if way == "compile":
        model = torch.compile(model, mode="max-autotune")
    return lambda: model(picture)


def time_ms(call, runs):
    begin = time.perf_counter()
    while time.perf_counter() - begin < WARM_UP_S:
        call()
        torch.cuda.synchronize()
    times = []
    for _ in range(runs):
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        call()
        last.record()
        last.synchronize()
        times.append(first.elapsed_time(last))
    return times


def measure(way, precision, arguments, size):
    about = {
        "command": " ".join(["torch_espcn.py", *sys.argv[1:]]), "event": "result",
        "device": torch.cuda.get_device_name(), "driver": f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}, "
        f"cuDNN {torch.backends.cudnn.version()}", "model": f"espcn_x{arguments.factor}", "kernel": f"torch {way}",
        "precision": precision, "width": size[0], "height": size[1], "runs": arguments.runs,
    }
    try:
        set_precision(precision)
        with torch.inference_mode():
            times = time_ms(prepared(way, arguments.factor, size, precision), arguments.runs)
    except Exception as error:  # PyTorch's own errors are of many types
        return about | {"error": f"{type(error).__name__}: {error}"}
    median = statistics.median(times)
    return about | {"median_ms": median, "min_ms": min(times), "gflops": flops(*size, arguments.factor) / median / 1e6}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--factor", type=int, default=3)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--ways", nargs="+", default=["eager", "channels_last", "graph", "compile"],
                        choices=["eager", "channels_last", "graph", "compile"])
    parser.add_argument("--precisions", nargs="+", default=PRECISIONS, choices=PRECISIONS)
    parser.add_argument("--results", help="a file to append the lines to")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("PyTorch sees no CUDA GPU here", file=sys.stderr)
        sys.exit(3)
    width, height = map(int, arguments.size.split("x"))
    lines = []
    for precision in arguments.precisions:
        for way in arguments.ways:
            lines.append(json.dumps(measure(way, precision, arguments, (width, height))))
            print(lines[-1], flush=True)
    if arguments.results:
        with open(arguments.results, "a", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)


if __name__ == "__main__":
    main()
