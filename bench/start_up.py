#!/usr/bin/env python3
"""Times from the start of the process to the first picture written, beside a process that only opens the device.

    python3 bench/start_up.py --build build/release [--device NAME] [--model espcn_x2] [--size 256x256] [--runs 15]

Both run in turns with warm caches (a cache folder of its own, filled by two runs before); each time ends when the process
says that it is done: upres with its event `done`, which comes after the picture has its name. Prints the medians and their
difference, which is what upres itself takes, and appends one JSON line to bench/results/start_up.jsonl. Exit code 3
where no device opens. Without --device it is the best real GPU.
"""

import argparse
import datetime
import json
import os
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import zlib

HERE = pathlib.Path(__file__).resolve().parent


def png(width, height):
    """A picture of noise, 8-bit RGB."""
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    noise = random.Random(1)
    rows = b"".join(b"\0" + noise.randbytes(3 * width) for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) +
            chunk(b"IEND", b""))


def time_until(command, is_done, environment):
    """Milliseconds until a line for which is_done holds, and that line. Then the process is waited for."""
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True) as process:
        for line in process.stdout:
            if is_done(line):
                elapsed_ms = (time.perf_counter() - begin) * 1000
                break
        else:
            elapsed_ms = None
        process.stdout.read()
        message = process.stderr.read()
    if process.returncode != 0 or elapsed_ms is None:
        sys.exit(f"{' '.join(map(str, command))}: exit code {process.returncode}\n{message}") \
            if process.returncode != 3 else no_device(message)
    return elapsed_ms, line.strip()


def no_device(message):
    print(message.strip(), file=sys.stderr)
    sys.exit(3)


def is_written(line):
    return json.loads(line)["event"] == "done"


def commit():
    done = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def measure(arguments, folder):
    width, height = map(int, arguments.size.split("x"))
    picture = folder / "in.png"
    picture.write_bytes(png(width, height))
    environment = os.environ | {"UPRES_CACHE": str(folder / "cache")}
    programs = arguments.build.resolve() / "bin"
    opens = [programs / "bench_open_device"] + ([arguments.device] if arguments.device else [])
    enlarges = [programs / "upres", picture, "-o", folder / "out.png", "-m", arguments.model, "--overwrite", "--json",
                "--device", arguments.device or "gpu"]
    times = {"open": [], "picture": []}
    device = None
    for run in range(-2, arguments.runs):
        open_ms, device = time_until(opens, lambda line: True, environment)
        picture_ms, _ = time_until(enlarges, is_written, environment)
        if run >= 0:
            times["open"].append(open_ms)
            times["picture"].append(picture_ms)
    return device, times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default="build/release")
    parser.add_argument("--device", help="part of a device's name, as it is in both programs")
    parser.add_argument("--model", default="espcn_x2")
    parser.add_argument("--size", default="256x256")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results" / "start_up.jsonl")
    parser.add_argument("--no-results", action="store_true", help="print only")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        device, times = measure(arguments, pathlib.Path(folder))
    median = {name: statistics.median(values) for name, values in times.items()}
    beyond_ms = statistics.median(b - a for a, b in zip(times["open"], times["picture"]))
    print(f"{device}: device open {median['open']:.1f} ms, first picture written {median['picture']:.1f} ms, "
          f"beyond the device {beyond_ms:.1f} ms (medians of {arguments.runs})")
    if arguments.no_results:
        return
    record = {
        "command": " ".join(["start_up.py", *sys.argv[1:]]), "commit": commit(), "date": datetime.date.today().isoformat(),
        "device": device, "model": arguments.model, "size": arguments.size, "runs": arguments.runs,
        "open_ms": round(median["open"], 2), "picture_ms": round(median["picture"], 2), "beyond_ms": round(beyond_ms, 2),
        "fastest_ms": {name: round(min(values), 2) for name, values in times.items()}, "load": os.getloadavg()[0],
    }
    arguments.results.parent.mkdir(parents=True, exist_ok=True)
    with open(arguments.results, "a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
