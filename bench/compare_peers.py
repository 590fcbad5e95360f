#!/usr/bin/env python3
"""Times the CPU device beside ONNX Runtime: the same model, the same minutes, in turns.

    python3 -m venv venv && venv/bin/pip install numpy onnxruntime
    venv/bin/python bench/compare_peers.py --program build/release/bin/bench_cpu_network

Prints a table and appends one JSON line to bench/results/cpu_peers.jsonl. Other work on the machine slows both, so believe
the ratios before the milliseconds; on a busy machine --threads 1 --processor-time hardly changes from run to run. Without --model the seed network (1-64-64-32-factor^2) with random weights is timed.
"""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import onnxruntime

import onnx_writer

HERE = pathlib.Path(__file__).resolve().parent


class Server:
    """bench_cpu_network in one precision, ready to run."""

    def __init__(self, program, model, size, precision, threads, band_rows, clock):
        command = [str(program), str(model), size, precision, str(threads)]
        if band_rows:
            command.append(str(band_rows))
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{program} cannot run {precision}")
        self.about = json.loads(line)
        self.clock = clock
        self.peak_rss_bytes = 0

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def run(self, what):
        answer = self.ask(what)
        self.peak_rss_bytes = answer["peak_rss_bytes"]
        return answer[self.clock]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Peer:
    """ONNX Runtime, fp32, at its defaults but for the number of threads."""

    def __init__(self, model, size, threads, clock):
        self.clock = clock
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        width, height = (int(part) for part in size.split("x"))
        port = self.session.get_inputs()[0]
        self.feed = {port.name: numpy.random.default_rng(1).random((1, port.shape[1], height, width), dtype=numpy.float32)}

    def run(self):
        begin = self.clock()
        self.session.run(None, self.feed)
        return (self.clock() - begin) * 1e3


def commit():
    try:
        return subprocess.run(["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                              check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def measure(arguments, model):
    """Milliseconds of every run by name, peak memory by precision, and what the program says of itself."""
    peer = Peer(model, arguments.size, arguments.threads,
                time.process_time if arguments.processor_time else time.perf_counter)
    servers = {}
    for precision in arguments.precision:
        servers[precision] = Server(arguments.program, model, arguments.size, precision, arguments.threads,
                                    arguments.band_rows, "processor_ms" if arguments.processor_time else "ms")
    times = {"onnxruntime": []}
    for turn in range(arguments.runs + arguments.warm_up):
        keep = turn >= arguments.warm_up

        def note(name, ms, keep=keep):
            if keep:
                times.setdefault(name, []).append(ms)
            time.sleep(arguments.pause)

        note("onnxruntime", peer.run())
        for precision, server in servers.items():
            note(f"{precision} network", server.run("network"))
            note(f"{precision} picture", server.run("picture"))
    layers = {precision: (server.run("network"), server.ask("layers"))[1] for precision, server in servers.items()}
    memory = {precision: server.peak_rss_bytes for precision, server in servers.items()}
    about = next(iter(servers.values())).about
    for server in servers.values():
        server.close()
    return times, memory, layers, about


def table(times, memory, layers):
    peer = statistics.median(times["onnxruntime"])
    print(f"{'':16} {'median ms':>10} {'min ms':>8} {'ratio':>7}")
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:16} {median:10.1f} {min(values):8.1f} {median / peer:7.3f}")
    for precision, size in memory.items():
        print(f"{precision}: peak memory of the process {size / 1e6:.0f} MB; " +
              ", ".join(f"{layer['name']} {layer['ms']:.1f}" for layer in layers[precision]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default="build/release/bin/bench_cpu_network")
    parser.add_argument("--model", type=pathlib.Path, help="an ONNX file that takes any picture size")
    parser.add_argument("--factor", type=int, default=3, help="of the seed network (3)")
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between runs, until waiting threads sleep (0.02)")
    parser.add_argument("--processor-time", action="store_true", help="count the time of the threads, not of the clock")
    parser.add_argument("--precision", nargs="+", default=["fp32", "bf16"])
    parser.add_argument("--band-rows", type=int, default=0)
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results" / "cpu_peers.jsonl")
    parser.add_argument("--no-results", action="store_true", help="print only")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        model = arguments.model
        if model is None:
            model = pathlib.Path(folder) / "seed_network.onnx"
            model.write_bytes(onnx_writer.espcn(arguments.factor))
        times, memory, layers, about = measure(arguments, model)
    table(times, memory, layers)
    if arguments.no_results:
        return
    record = {
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
        "command": " ".join(["compare_peers.py", *sys.argv[1:]]),
        **about,
        "onnxruntime": onnxruntime.__version__,
        "model": arguments.model.name if arguments.model else f"seed network x{arguments.factor}",
        "size": arguments.size,
        "threads": arguments.threads,
        "clock": "processor" if arguments.processor_time else "wall",
        "runs": arguments.runs,
        "load": os.getloadavg()[0],
        "median_ms": {name: round(statistics.median(values), 2) for name, values in times.items()},
        "min_ms": {name: round(min(values), 2) for name, values in times.items()},
        "peak_rss_bytes": memory,
        "layers": layers,
    }
    arguments.results.parent.mkdir(parents=True, exist_ok=True)
    with open(arguments.results, "a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
