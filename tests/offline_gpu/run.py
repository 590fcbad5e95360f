"""Compiles every kernel of the embedded models' plans, and the database's defaults of all other convolutions, with the
drivers of GPUs that are not here.

Fails on a kernel that is refused, spills registers or uses scratch memory, on a driver that tells nothing of a
kernel, and on a message of the validation layer.

    tests/offline_gpu/run.py --amd64 build/release/bin/compile_plans --arm64 build/arm64/bin/compile_plans
        [--gpu NAME]...     these alone
        [--tiles]           not the plans, but every legal tile of the first model's convolutions: checks the estimate of
                            registers by which tiles are legal
        [--table FILE]      writes the tables behind the mark in this Markdown file
        [--record FOLDER]   only writes each device's description, NAME.json
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/offline_gpus.sh"
MARK = "<!-- tables: tests/offline_gpu/run.py --table docs/gpu-families.md -->"

# What makes each driver tell of the kernels that it compiles, on stderr.
TELL = {"RADV_DEBUG": "shaderstats,nocache", "IR3_SHADER_DEBUG": "cs", "BIFROST_MESA_DEBUG": "shaderdb",
        "MESA_SHADER_CACHE_DISABLE": "true"}


# Kernels that spill whatever their tunables: GPU, kernel, why that is borne. One that no longer does fails, too.
BORNE = {("adreno630", "conv_packed"): "the compiler loads all weights of an unrolled window early; no plan picks this kernel there"}

# GPUs on which tiles spill that the kernels' estimate of registers allows.
NOT_AS_ESTIMATED = {"adreno630"}


def number(text: str, pattern: str) -> int | None:
    found = re.search(pattern, text)
    return int(found.group(1)) if found else None


def amd(text: str) -> dict:
    def value(name: str) -> int | None:
        return number(text, rf"^{name}: (\d+)$".replace("^", r"(?m)^"))

    spills = [value("Spilled VGPRs"), value("Spilled SGPRs")]
    return {"registers": value("VGPRs"), "spills": None if None in spills else sum(spills),
            "scratch": value("Scratch size"), "instructions": value("Instructions"),
            "occupancy": value("Subgroups per SIMD"), "subgroup": value("Subgroup size")}


def adreno(text: str) -> dict:
    # Registers are vectors of four; of several variants the largest counts.
    full = [int(count) for count in re.findall(r" half, (\d+) full", text)]
    if not full:
        return {"registers": None, "spills": None, "scratch": None}
    spills = len(re.findall(r"\b(?:stp|ldp)\.", text))
    instructions = max(int(count) for count in re.findall(r": (\d+) instr,", text))
    return {"registers": 4 * max(full), "spills": spills, "scratch": 0, "instructions": instructions}


def mali(text: str) -> dict:
    spills = re.search(r"(\d+):(\d+) spills:fills", text)
    # "1 threads": half of the threads, because the kernel needs more than 32 registers.
    threads = number(text, r"(\d+) threads,")
    return {"registers": {1: 64, 2: 32}.get(threads), "spills": int(spills.group(1)) + int(spills.group(2)) if spills else None,
            "scratch": 0 if spills else None, "instructions": number(text, r"(\d+) inst,"), "occupancy": threads}


def statistics(gpu: str, text: str) -> dict:
    return (adreno if gpu.startswith("adreno") else mali if gpu.startswith("mali") else amd)(text)


def gpus() -> list[tuple[str, str]]:
    lines = subprocess.run([SCRIPT, "--list"], check=True, capture_output=True, text=True).stdout.splitlines()
    return [tuple(line.split()) for line in lines]


def run(gpu: str, program: str, *options: str) -> subprocess.CompletedProcess:
    return subprocess.run([SCRIPT, gpu, os.path.abspath(program), *options], capture_output=True, text=True, errors="replace",
                          env=os.environ | TELL, timeout=300)


def kernels(gpu: str, done: subprocess.CompletedProcess) -> tuple[dict, list[dict]]:
    """The device, and its kernels with what the driver tells of each."""
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    told = re.findall(r"compile_plans: begin .*\n((?:.*\n)*?)compile_plans: end", done.stderr)
    if len(told) != len(lines) - 1:
        raise SystemExit(f"{gpu}: {len(lines) - 1} kernels, but the driver tells of {len(told)}:\n{done.stderr[-2000:]}")
    return lines[0], [kernel | statistics(gpu, text) for kernel, text in zip(lines[1:], told)]


def complaints(kernel: dict) -> list[str]:
    found = [kernel["error"]] if "error" in kernel else []
    for name in ("registers", "spills", "scratch"):
        if kernel[name] is None:
            found.append(f"the driver does not tell {name}")
    for name in ("spills", "scratch"):
        if kernel[name]:
            found.append(f"{name}: {kernel[name]}")
    return found


def borne(gpu: str, kernel: dict) -> str | None:
    return BORNE.get((gpu, re.sub(r"_(fp16|from_planes|to_planes|planes)+$", "", kernel["module"])))


def table(device: dict, all_kernels: list[dict]) -> str:
    rows = ["| kernel | shape | group | tunables | registers | spills | scratch | shared | instructions | in flight |",
            "|---|---|---|---|---|---|---|---|---|---|"]
    for kernel in all_kernels:
        tile = " ".join(f"{value}" for name, value in (pair.split("=") for pair in kernel["constants"].split())
                        if name in ("pixels_x", "pixels_y", "channel_blocks", "tile_blocks"))
        cells = [kernel["module"], kernel["shape"], "x".join(map(str, kernel["group_size"])), tile.replace(" ", " x "),
                 *("" if kernel.get(name) is None else str(kernel[name]) for name in
                   ("registers", "spills", "scratch", "shared_memory_bytes", "instructions", "occupancy"))]
        rows.append("| " + " | ".join(cells) + " |")
    return f"### {device['name']}\n\nDriver: {device['driver']}.\n\n" + "\n".join(rows) + "\n"


def write_tables(path: pathlib.Path, tables: list[str]) -> None:
    text = path.read_text()
    if MARK not in text:
        raise SystemExit(f"{path} lacks the line {MARK}")
    path.write_text(text[:text.index(MARK)] + MARK + "\n\n" + "\n".join(tables))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--amd64", required=True)
    parser.add_argument("--arm64", required=True)
    parser.add_argument("--gpu", action="append", default=[])
    parser.add_argument("--tiles", action="store_true")
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--record", type=pathlib.Path)
    options = parser.parse_args()
    tables, failures = [], 0
    for gpu, architecture in gpus():
        if options.gpu and gpu not in options.gpu:
            continue
        program = getattr(options, architecture)
        if options.record:
            device = json.loads(run(gpu, program, "--device").stdout)
            (options.record / f"{gpu}.json").write_text(json.dumps(device, indent=2) + "\n")
            continue
        done = run(gpu, program, *(["--validation"] if architecture == "amd64" else []), *(["--tiles"] if options.tiles else []))
        if done.returncode != 0:
            failures += 1
            print(f"{gpu}: exit status {done.returncode}: {done.stderr[-2000:]}")
        device, compiled = kernels(gpu, done)
        tables.append(table(device, compiled))
        print(tables[-1])
        if options.tiles and gpu in NOT_AS_ESTIMATED:
            continue
        for kernel in compiled:
            found, reason = complaints(kernel), borne(gpu, kernel)
            if reason and not found:
                found = ["it is borne that this kernel spills, but it does not: take it off the list"]
            elif reason and all(each.startswith("spills") for each in found):
                print(f"{gpu}: {kernel['module']} {kernel['shape']}: {found[0]}, borne: {reason}")
                continue
            for complaint in found:
                failures += 1
                print(f"{gpu}: {kernel['module']} {kernel['shape']} ({kernel['constants']}): {complaint}")
    if options.table:
        write_tables(options.table, tables)
    print(f"{failures} failures" if failures else "nothing spills")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
