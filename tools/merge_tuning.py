"""Merges files that `upres tune --export` wrote into the device database.

    merge_tuning.py FILE... [--into devices/] [--upres build/release/bin/upres] [--check]

Each file is checked as a whole before anything is written; a bad one is refused with its name and the reason, and the
exit code is 1. Entries where something beat the default go into VENDOR/ARCHITECTURE.json, for that very device, in
place of earlier ones for the same kernel and shape. With --check nothing is written.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FORMAT = "upres tuning 1"
MOST_BYTES = 16 << 20
MOST_TEXT = 256
MOST_SHOWN = 64
LEAST_MS, MOST_MS = 1e-5, 1e5
MOST_FLOP_PER_S = 2e15  # above what any GPU does in fp16, matrices included
FAMILY = re.compile(r"[a-z0-9][a-z0-9.-]{0,31}")
CONV = r"[1-9][0-9]{0,4}->[1-9][0-9]{0,4} [1-9][0-9]?x[1-9][0-9]?"
SHAPE = re.compile(rf"{CONV}(, {CONV})? (fp32|fp16)")


class Refused(Exception):
    """Why a file cannot be taken."""


def typed(holder: object, key: str, kind: type, place: str) -> object:
    if not isinstance(holder, dict) or key not in holder:
        raise Refused(f"{place}{key} is missing")
    value = holder[key]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise Refused(f"{place}{key} is of a wrong type")
    return value


def text(holder: object, key: str, place: str) -> str:
    value = typed(holder, key, str, place)
    if not value or len(value) > MOST_TEXT or not value.isprintable():
        raise Refused(f"{place}{key} is no plain text of 1 to {MOST_TEXT} characters")
    return value


def shown(name: str) -> str:
    """A name that may hold anything, as a part of one line."""
    return name if name.isprintable() and len(name) <= MOST_SHOWN else repr(name[:MOST_SHOWN])


def time_ms(holder: object, place: str) -> float:
    value = typed(holder, "time_ms", (int, float), place)
    if not LEAST_MS <= value <= MOST_MS:  # nor NaN; a whole number may be too large for a float
        raise Refused(f"{place}time_ms is not within {LEAST_MS:g} to {MOST_MS:g}")
    return float(value)


def parameters(holder: object, tunables: dict, kernel: str, place: str) -> dict:
    values = typed(holder, "parameters", dict, place)
    for name, value in values.items():
        if name not in tunables:
            raise Refused(f"{place}parameters.{shown(name)} is no tunable of {kernel}")
        if isinstance(value, bool) or not isinstance(value, int) or value not in tunables[name]:
            raise Refused(f"{place}parameters.{name} has a value that {kernel} does not take")
    missing = [name for name in tunables if name not in values]
    if missing:
        raise Refused(f"{place}parameters.{missing[0]} is missing")
    return {name: values[name] for name in tunables}


def measured(entry: object, key: str, tunables: dict, kernel: str, place: str) -> tuple[dict, float]:
    holder = typed(entry, key, dict, place)
    inner = f"{place}{key}."
    return parameters(holder, tunables, kernel, inner), time_ms(holder, inner)


def check_rejected(entry: object, tunables: dict, kernel: str, place: str) -> None:
    for i, each in enumerate(typed(entry, "rejected", list, place)):
        inner = f"{place}rejected[{i}]."
        parameters(each, tunables, kernel, inner)
        typed(each, "reason", str, inner)


def flop(shape: str, width: int, height: int) -> int:
    """Of one launch; a multiply and an add count as two."""
    convolutions = [[int(number) for number in re.findall(r"[0-9]+", conv)] for conv in re.findall(CONV, shape)]
    return sum(2 * math.prod(numbers) for numbers in convolutions) * width * height


def winner(entry: object, kernels: dict, device: str, driver: str, place: str) -> dict:
    """The entry for the database; where the default stayed, what it costs."""
    kernel = text(entry, "kernel", place)
    if kernel not in kernels:
        raise Refused(f"{place}kernel names no kernel of this version")
    tunables = kernels[kernel]
    shape = text(entry, "shape", place)
    if not SHAPE.fullmatch(shape):
        raise Refused(f"{place}shape is not like \"64->32 3x3 fp16\"")
    if shape.rpartition(" ")[2] != text(entry, "precision", place):
        raise Refused(f"{place}precision is not that of the shape")
    size = [typed(entry, key, int, place) for key in ("width", "height")]
    if not all(1 <= side <= 65536 for side in size):
        raise Refused(f"{place}width and height are not within 1 to 65536")
    best, best_ms = measured(entry, "best", tunables, kernel, place)
    default, default_ms = None, math.inf
    # Null: the default does not work there.
    if typed(entry, "default", dict, place).get("time_ms", 0) is not None:
        default, default_ms = measured(entry, "default", tunables, kernel, place)
    before = f"before {default_ms:.3g}" if default else "the default does not work"
    speed = flop(shape, *size) / (best_ms / 1e3)
    if speed > MOST_FLOP_PER_S:
        raise Refused(f"{place}best.time_ms would be {speed:.3g} FLOP/s, and no device does more than {MOST_FLOP_PER_S:g}")
    check_rejected(entry, tunables, kernel, place)
    if any(each["parameters"] == best for each in entry["rejected"]):
        raise Refused(f"{place}best is among those rejected")
    if best != default and best_ms >= default_ms:
        raise Refused(f"{place}best takes {best_ms:g} ms and is not faster than the default with {default_ms:g} ms")
    return {"kernel": kernel, "shape": shape, "device": device, "tuning": best,
            "reason": f"The best of a search at {size[0]}x{size[1]}: {best_ms:.3g} ms, {before}; {driver}.",
            "measured": True, "ns_per_px": round(best_ms * 1e6 / (size[0] * size[1]), 6)}


def no_constant(name: str) -> None:
    raise Refused(f"{name} is no number of JSON")


def no_twice(pairs: list) -> dict:
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise Refused(f"key {key[:MOST_SHOWN]!r} is given twice")
    return dict(pairs)


def read_json(path: Path) -> object:
    if not path.is_file():
        raise Refused("it is no file")
    if path.stat().st_size > MOST_BYTES:
        raise Refused("it is larger than 16 MiB")
    try:
        return json.loads(path.read_bytes().decode("utf-8"), parse_constant=no_constant, object_pairs_hook=no_twice)
    except (ValueError, RecursionError) as error:  # also a number of thousands of digits
        raise Refused(f"it is not JSON, or cut off: {error}") from error
    except OSError as error:
        raise Refused(f"it cannot be read: {error}") from error


def judge(export: dict, upres: Path) -> None:
    """Asks the command that was built for what depends on kernels and devices."""
    try:
        told = subprocess.run([upres, "tune-worker", "--check"], check=True, capture_output=True,
                              input=json.dumps(export).encode()).stdout
    except RecursionError as error:
        raise Refused("it is nested too deep") from error
    except subprocess.CalledProcessError as error:
        raise Refused(f"{upres} cannot judge it: {error}") from error
    verdict = json.loads(told)
    if verdict["refused"]:
        raise Refused(verdict["refused"])
    for i, reason in enumerate(verdict["entries"]):
        if reason:
            raise Refused(f"entries[{i}]: {reason}")


def read_export(path: Path, kernels: dict, upres: Path) -> tuple[str, str, list[dict]]:
    """Vendor, architecture and the entries for the database."""
    export = read_json(path)
    if typed(export, "format", str, "") != FORMAT:
        raise Refused(f"its format is not {FORMAT!r}")
    text(export, "version", "")
    family = [text(export, key, "") for key in ("vendor", "architecture")]
    for name in family:
        if name == "unknown":
            raise Refused("vendor or architecture is unknown; teach src/devicedb/family.cpp its name first")
        if not FAMILY.fullmatch(name):
            raise Refused(f"{name!r} cannot be a file name")
    device, driver = text(export, "device", ""), text(export, "driver", "")
    typed(export, "limits", dict, "")
    winners, seen = [], set()
    for i, entry in enumerate(typed(export, "entries", list, "")):
        place = f"entries[{i}]."
        won = winner(entry, kernels, device, driver, place)
        key = (entry["kernel"], entry["shape"])
        if key in seen:
            raise Refused(f"{place}kernel and shape are there twice")
        seen.add(key)
        winners.append(won)
    judge(export, upres)
    return family[0], family[1], winners


def place_of(entry: dict) -> tuple:
    return entry["kernel"], entry.get("device"), entry.get("shape")


def read_database(target: Path) -> dict:
    try:
        database = read_json(target)
        for i, entry in enumerate(typed(database, "entries", list, "")):
            typed(entry, "kernel", str, f"entries[{i}].")
    except Refused as reason:
        raise Refused(f"{target}, into which it goes: {reason}") from reason
    return database


def merged(target: Path, vendor: str, architecture: str, winners: list[dict]) -> dict:
    """The database file with these entries."""
    database = {"$schema": "../schema.json", "vendor": vendor, "architecture": architecture, "entries": []}
    if target.exists():
        database = read_database(target)
    new = {place_of(entry): entry for entry in winners}
    kept = [new.pop(place_of(entry), entry) for entry in database["entries"]]
    database["entries"] = kept + list(new.values())
    return database


def write(target: Path, database: dict) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=target.parent, delete=False) as file:
        file.write(json.dumps(database, indent=2) + "\n")
    os.chmod(file.name, 0o644)
    os.replace(file.name, target)


def known_kernels(upres: Path) -> dict:
    """Kernels with their tunables, as the command that was built knows them."""
    return json.loads(subprocess.run([upres, "tune-worker", "--tunables"], check=True, capture_output=True).stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--into", type=Path, default=ROOT / "devices", help="the database's folder")
    parser.add_argument("--upres", type=Path, default=ROOT / "build/release/bin/upres")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    try:
        kernels = known_kernels(options.upres)
    except (OSError, subprocess.CalledProcessError, json.JSONDecodeError) as error:
        print(f"{options.upres} does not tell its kernels (--upres, or make): {error}", file=sys.stderr)
        return 2
    refused = 0
    for path in options.files:
        try:
            vendor, architecture, winners = read_export(path, kernels, options.upres)
            target = options.into / vendor / f"{architecture}.json"
            database = merged(target, vendor, architecture, winners)
            if winners and not options.check:
                write(target, database)
        except Refused as reason:
            print(f"{path}: refused: {reason}", file=sys.stderr)
            refused += 1
            continue
        except OSError as error:
            print(f"{path}: not merged: {error}", file=sys.stderr)
            refused += 1
            continue
        print(f"{path}: {len(winners)} entries for {target}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
