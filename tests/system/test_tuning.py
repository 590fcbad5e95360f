"""upres tune, what it leaves behind, and tools/merge_tuning.py."""

import copy
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pictures import gradient, save

ROOT = Path(__file__).resolve().parents[2]
SMALL = ["tune", "-m", "espcn_x2", "--size", "24x16", "--kernel", "conv_packed"]


@pytest.fixture
def cache(tmp_path):
    """Of each test its own: what one tuned must not reach the others."""
    return tmp_path / "cache"


def lines(done):
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def group_sizes(upres, *arguments):
    """The groups of the convolutions in the plan."""
    plan = upres("inspect", "espcn_x2", "--plan", "--kernel", "conv_packed", *arguments, device="llvmpipe").stdout.decode()
    return [line.split(" group ")[1].split()[0] for line in plan.splitlines() if "[conv_packed" in line]


def override(cache, entries, name="mine.json"):
    (cache / "devices").mkdir(parents=True, exist_ok=True)
    (cache / "devices" / name).write_text(entries if isinstance(entries, str) else json.dumps({"entries": entries}))


def packed_entry(x, **more):
    return {"kernel": "conv_packed", "tuning": {"group_size_x": x, "group_size_y": 2, "group_size_z": 1}, "reason": "r",
            "measured": False} | more


def worker_of(process):
    """The worker's process id, once it is there."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for status in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = status.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == process.pid and fields[0] != "Z":
                return int(status.parent.name)
        assert process.poll() is None
        time.sleep(0.02)
    pytest.fail("there is no worker")


def test_a_second_run_goes_on(upres, llvmpipe):
    first = upres.events(*SMALL, "--budget", "6", device=llvmpipe)
    tried = {(event["shape"], json.dumps(event["parameters"])) for event in first if event["event"] == "candidate"}
    assert len(tried) == sum(event["event"] == "candidate" for event in first) > 4
    second = upres.events(*SMALL, "--budget", "4", device=llvmpipe)
    defaults = {(event["shape"], json.dumps(event["default"]["parameters"])) for event in first if event["event"] == "best"}
    again = [event for event in second if event["event"] == "candidate"]
    assert all((event["shape"], json.dumps(event["parameters"])) in defaults or
               (event["shape"], json.dumps(event["parameters"])) not in tried for event in again)


def test_candidate_and_best_hold_what_the_contract_says(upres, llvmpipe):
    keys = {"device", "vendor", "architecture", "driver", "compute_units", "clock_mhz", "limits", "kernel", "shape",
            "precision", "lowered", "best", "default", "rejected"}
    events = upres.events(*SMALL, "--budget", "4", device=llvmpipe)
    told = [event for event in events if event["event"] in ("candidate", "best")]
    assert {event["event"] for event in told} == {"candidate", "best"}
    for event in told:
        assert keys <= set(event) and event["architecture"] == "llvmpipe" and event["limits"]["max_group_invocations"]


def test_what_wins_is_used_and_overrides_do_not_beat_it(upres, llvmpipe, cache):
    override(cache, [packed_entry(8)])
    assert group_sizes(upres) == ["8x2x1"] * 4
    best = [event for event in upres.events(*SMALL, "--budget", "8", device=llvmpipe) if event["event"] == "best"]
    assert best[0]["default"]["parameters"]["group_size_x"] == 8
    expected = ["x".join(str(event["best"]["parameters"][f"group_size_{axis}"]) for axis in "xyz") for event in best]
    assert len(expected) == 4 and group_sizes(upres) == expected
    assert group_sizes(upres, "--no-cache") == ["32x4x1"] * 4


def test_stopped_it_keeps_what_there_is(upres, llvmpipe):
    process = upres.start(*SMALL, "--budget", "300", "--json", device=llvmpipe)
    told = []
    while sum(event["event"] == "candidate" for event in told) < 6:
        told.append(json.loads(process.stdout.readline()))
    worker = worker_of(process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    told += [json.loads(line) for line in out.decode().splitlines()]
    assert not Path(f"/proc/{worker}").exists()
    tried = [json.dumps(event["parameters"]) for event in told if event["event"] == "candidate"]
    again = upres.events(*SMALL, "--budget", "8", device=llvmpipe)
    shape = told[-1]["shape"]
    repeated = [event for event in again if event["event"] == "candidate" and event["shape"] == shape
                and json.dumps(event["parameters"]) in tried]
    assert len(repeated) <= 1  # the default


def test_a_candidate_that_kills_the_worker_is_remembered_as_bad(upres, llvmpipe):
    process = upres.start(*SMALL, "--budget", "300", "--json", device=llvmpipe)
    bad = []
    while len(bad) < 2:
        event = json.loads(process.stdout.readline())
        if event["event"] == "candidate" and event["reason"]:
            bad.append(event)
        elif event["event"] == "candidate":  # the worker is at the next one, or between two, which is nobody's fault
            os.kill(worker_of(process), signal.SIGKILL)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130 and all("signal 9" in event["reason"] for event in bad)
    again = upres.events(*SMALL, "--budget", "8", device=llvmpipe)
    tried = {(event["shape"], json.dumps(event["parameters"])) for event in again if event["event"] == "candidate"}
    assert not tried & {(event["shape"], json.dumps(event["parameters"])) for event in bad}
    listed = [each for event in again if event["event"] == "best" for each in event["rejected"]]
    assert {json.dumps(each["parameters"]) for each in listed} >= {json.dumps(event["parameters"]) for event in bad}


def test_a_worker_that_hangs_is_ended(upres, llvmpipe):
    process = upres.start(*SMALL, "--budget", "60", "--json", device=llvmpipe)
    told, stopped = [], None
    for line in process.stdout:
        told.append(json.loads(line))
        if told[-1]["event"] == "candidate":
            if stopped is None:
                stopped = worker_of(process)
                os.kill(stopped, signal.SIGSTOP)
            elif told[-1]["reason"]:
                break
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert "did not answer within" in told[-1]["reason"] and not Path(f"/proc/{stopped}").exists()


def test_the_first_use_of_a_device_is_told_once(upres, llvmpipe):
    save(upres.folder / "p.png", gradient(24, 16))
    begin = time.monotonic()
    first = upres("p.png", "-o", "tuned.png", device=llvmpipe)
    assert time.monotonic() - begin < 20
    assert [line for line in first.stderr.splitlines() if line.startswith("tuned for llvmpipe")]
    for arguments in ([], ["--no-tune"], ["--no-cache"]):
        done = upres("p.png", "-o", "again.png", "--overwrite", *arguments, device=llvmpipe)
        assert "tuned for" not in done.stderr
    [comparison] = lines(upres.plain("compare", "tuned.png", "again.png", "--json"))
    assert comparison["psnr_rgb"] is None or comparison["psnr_rgb"] > 48


@pytest.mark.parametrize("arguments", [["--no-tune"], ["--no-cache"]])
def test_the_first_use_is_left_out(upres, llvmpipe, arguments):
    save(upres.folder / "p.png", gradient(24, 16))
    assert "tuned for" not in upres("p.png", *arguments, device=llvmpipe).stderr


def test_the_cpu_is_never_tuned(upres):
    save(upres.folder / "p.png", gradient(24, 16))
    assert "tuned for" not in upres("p.png").stderr


def test_a_cache_that_cannot_be_written_costs_nothing(upres, llvmpipe, cache):
    cache.write_text("a file, no folder")
    save(upres.folder / "p.png", gradient(24, 16))
    assert "tuned for" not in upres("p.png", device=llvmpipe).stderr


@pytest.mark.parametrize("content", ["{", "[]", '{"entries": [{"kernel": "conv_nowhere"}]}',
                                     json.dumps({"entries": [packed_entry(7)]}),
                                     json.dumps({"entries": [packed_entry(8) | {"tuning": {"size": 8}}]}),
                                     json.dumps({"entries": [packed_entry(8, shape="64x64")]}),
                                     '{"entries": {}}', "\x00" * 100])
def test_a_bad_override_is_left_out_with_one_line(upres, llvmpipe, cache, content):
    save(upres.folder / "p.png", gradient(24, 16))
    upres("p.png", "-o", "right.png", "--no-tune", device=llvmpipe)
    override(cache, content)
    done = upres("p.png", "-o", "p2.png", "--no-tune", device=llvmpipe)
    assert sum("mine.json is left out" in line for line in done.stderr.splitlines()) == 1
    assert (upres.folder / "p2.png").read_bytes() == (upres.folder / "right.png").read_bytes()


def test_a_file_switches_images_on_and_the_picture_stays(upres, llvmpipe, cache):
    def plan():
        return upres("inspect", "espcn_x2", "--plan", "--kernel", "conv_packed", device=llvmpipe).stdout.decode()

    save(upres.folder / "p.png", gradient(70, 41))
    to = ("--kernel", "conv_packed", "--precision", "fp32", "--no-tune")
    assert "output=image 0 (" not in plan()
    upres("p.png", "-o", "right.png", *to, device=llvmpipe)
    override(cache, [packed_entry(16) | {"tuning": {"storage": 1}}])
    assert "output=image 0 (" in plan()
    for tile in (64, 32):
        upres("p.png", "-o", f"p{tile}.png", *to, "--tile", str(tile), device=llvmpipe)
        assert (upres.folder / f"p{tile}.png").read_bytes() == (upres.folder / "right.png").read_bytes()


def test_damaged_records_are_left_out(upres, llvmpipe, cache):
    upres(*SMALL, "--budget", "4", device=llvmpipe)
    records = sorted(cache.glob("*.upres"))
    assert records
    for record in records:
        record.write_bytes(record.read_bytes()[:-20])
    done = upres("inspect", "espcn_x2", "--plan", device=llvmpipe)
    assert all("left out" in line for line in done.stderr.splitlines())
    upres(*SMALL, "--budget", "2", device=llvmpipe)


def test_two_at_once(upres, llvmpipe, cache):
    processes = [upres.start(*SMALL, "--budget", "5", device=llvmpipe) for _ in range(2)]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
    for process in processes:
        process.communicate()
    assert "left out" not in upres("inspect", "espcn_x2", "--plan", device=llvmpipe).stderr
    assert not list(cache.glob("*.tmp*"))


@pytest.mark.parametrize("how, reason", [("file", "cannot be kept for later runs: the cache folder"), ("none", "(--no-cache)"),
                                         ("folder", "")])
def test_what_cannot_be_kept_is_told_before_the_work(upres, llvmpipe, cache, how, reason):
    if how == "file":
        cache.write_text("a file, no folder")
    done = upres(*SMALL, "--budget", "1", *(["--no-cache"] if how == "none" else []), device=llvmpipe)
    told = done.stderr.splitlines()
    assert sum("for later runs" in line for line in told) == bool(reason) and reason in done.stderr
    assert not reason or "for later runs" in told[0]
    assert ("goes on" in done.stderr) <= (how == "folder")


def test_usage(upres, llvmpipe):
    upres("tune", "--all", "-m", "espcn_x2", device=llvmpipe, code=2)
    upres("tune", "--kernel", "clip", device=llvmpipe, code=2)
    upres("tune", "--kernel", "conv_packed", "--kernel", "conv_nowhere", device=llvmpipe, code=2)
    upres("tune", "--budget", "0", device=llvmpipe, code=2)
    for size in ("100000x100000", "65537x1", "1x65537", "0x4", "64"):
        assert "with sides of 1 to 65536 pixels" in upres("tune", "--size", size, device=llvmpipe, code=2).stderr
    upres("tune-worker", device="cpu", code=3)
    assert "tune-worker" not in upres.plain("--help").stdout.decode()


# --- merging -------------------------------------------------------------------------------------------------------

LIMITS = {
    "max_storage_buffer_range_bytes": 1 << 30, "max_buffer_bytes": 1 << 30, "memory_bytes": 1 << 34, "memory_budget_bytes": 1 << 33,
    "min_storage_buffer_offset_alignment_bytes": 16, "max_shared_memory_bytes": 49152, "max_push_constant_bytes": 256,
    "max_group_invocations": 1024, "max_group_size": [1024, 1024, 64], "max_group_count": [65535, 65535, 65535],
    "subgroup_size": 32, "min_subgroup_size": 32, "max_subgroup_size": 32, "fp16_storage": True, "fp16_arithmetic": True,
    "matrix_shapes": [], "timestamps": True}

GOOD = {
    "format": "upres tuning 1", "version": "0.1.0", "device": "NVIDIA H0", "vendor": "nvidia", "architecture": "hopper",
    "driver": "NVIDIA 580", "compute_units": None, "clock_mhz": None, "limits": LIMITS,
    "entries": [
        {"kernel": "conv_naive", "shape": "64->64 3x3 fp32", "width": 64, "height": 48, "precision": "fp32", "lowered": False,
         "best": {"parameters": {"group_size_x": 8, "group_size_y": 4}, "time_ms": 1.0, "gflops": 1.0},
         "default": {"parameters": {"group_size_x": 32, "group_size_y": 4}, "time_ms": 2.0, "gflops": 0.5},
         "rejected": [{"parameters": {"group_size_x": 64, "group_size_y": 4}, "reason": "it hangs"}]},
        {"kernel": "conv_naive", "shape": "64->32 3x3 fp32", "width": 64, "height": 48, "precision": "fp32", "lowered": False,
         "best": {"parameters": {"group_size_x": 32, "group_size_y": 4}, "time_ms": 2.0, "gflops": 1.0},
         "default": {"parameters": {"group_size_x": 32, "group_size_y": 4}, "time_ms": 2.0, "gflops": 1.0}, "rejected": []}]}


def merge(folder, *files, code=0, more=()):
    command = [sys.executable, ROOT / "tools/merge_tuning.py", *files, "--into", folder / "devices", "--upres",
               os.environ["UPRES_BIN"], *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done


def change(path, value):
    """GOOD with the value at this path replaced, or removed where it is `...`."""
    export = copy.deepcopy(GOOD)
    holder = export
    for key in path[:-1]:
        holder = holder[key]
    if value is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return json.dumps(export)


FIRST = ("entries", 0)
BAD = [(change([*path], value), reason) for path, value, reason in [
    (("format",), "upres tuning 2", "format"), (("format",), ..., "format is missing"), (("device",), 3, "device is of a wrong type"),
    (("device",), "a\nb", "no plain text"), (("vendor",), "../../etc", "cannot be a file name"), (("vendor",), "unknown", "unknown"),
    (("vendor",), "amd", "family.cpp"), (("architecture",), "default", "family.cpp"), (("architecture",), "unknown", "unknown"),
    (("limits", "timestamps"), ..., "limits.timestamps"), (("limits", "max_group_invocations"), 16, "16"),
    (("limits",), [], "limits"), (("entries",), {}, "entries is of a wrong type"), (("entries",), [3], "missing"),
    ((*FIRST, "kernel"), "conv_nowhere", "no kernel"), ((*FIRST, "shape"), "all", "shape"), ((*FIRST, "precision"), "fp16", "precision"),
    ((*FIRST, "width"), -1, "width"), ((*FIRST, "width"), True, "width"), ((*FIRST, "rejected"), ..., "rejected is missing"),
    ((*FIRST, "best", "parameters", "group_size_w"), 1, "no tunable"), ((*FIRST, "best", "parameters", "group_size_x"), 7, "does not take"),
    ((*FIRST, "best", "parameters", "group_size_x"), 8.0, "does not take"), ((*FIRST, "best", "parameters", "group_size_x"), ..., "missing"),
    ((*FIRST, "best", "time_ms"), 0, "time_ms"), ((*FIRST, "best", "time_ms"), -1, "time_ms"), ((*FIRST, "best", "time_ms"), "1", "time_ms"),
    ((*FIRST, "best", "time_ms"), 1e-9, "time_ms"), ((*FIRST, "best", "time_ms"), 1e9, "time_ms"),
    ((*FIRST, "best", "time_ms"), int("9" * 4000), "time_ms"), ((*FIRST, "best", "parameters", "a\nb"), 1, "no tunable"),
    ((*FIRST, "best", "time_ms"), float("nan"), "NaN"), ((*FIRST, "best", "time_ms"), float("inf"), "Infinity"),
    ((*FIRST, "best", "time_ms"), 2.5, "not faster"), ((*FIRST, "best", "time_ms"), 2.0, "not faster"),
    ((*FIRST, "rejected", 0, "parameters"), {"group_size_x": 8, "group_size_y": 4}, "among those rejected"),
    (("entries", 1, "shape"), "64->64 3x3 fp32", "there twice")]]


def fast(shape, side, time_ms):
    export = copy.deepcopy(GOOD)
    export["entries"][0] |= {"shape": shape, "width": side, "height": side}
    export["entries"][0]["best"]["time_ms"] = time_ms
    return json.dumps(export)


# 2 x 64 x 64 x 9 x 1024 x 1024 FLOP in 0.03 ms; a pair of it takes twice as many.
BAD += [(fast("64->64 3x3 fp32", 1024, 0.03), "2.58e+15 FLOP/s"),
        (fast("64->64 3x3, 64->64 3x3 fp32", 1024, 0.06), "2.58e+15 FLOP/s"),
        ('{"format": ' + "9" * 10000 + "}", "not JSON")]
BAD += [("", "not JSON"), ("[]", "missing"), (json.dumps(GOOD)[:-200], "cut off"), ("[" * 100000, "not JSON"),
        ('{"format": 1, "format": 2}', "given twice"), ("\udcff", "not JSON")]


@pytest.mark.parametrize("content, reason", BAD)
def test_bad_exports_are_refused_by_name_and_reason(tmp_path, content, reason):
    (tmp_path / "bad.json").write_text(content, errors="surrogateescape")
    (tmp_path / "good.json").write_text(json.dumps(GOOD))
    done = merge(tmp_path, tmp_path / "bad.json", tmp_path / "good.json", code=1)
    [line] = done.stderr.splitlines()
    assert "bad.json: refused" in line and reason in line
    assert "good.json: 2 entries" in done.stdout
    files = [path for path in (tmp_path / "devices").rglob("*") if path.is_file()]
    assert files == [tmp_path / "devices/nvidia/hopper.json"]


@pytest.mark.parametrize("kernel, shape, parameters, reason", [
    ("conv_winograd", "8->8 7x7 fp32", {}, "conv_winograd does not compute 8->8 7x7 fp32"),
    ("conv_rows", "64->64 5x5 fp16", {}, "conv_rows does not compute 64->64 5x5 fp16"),
    ("conv_rows", "64->64 3x3 fp16", {}, "kernel conv_rows"),  # without matrices
    ("conv_naive", "8->8 3x3 fp16", {}, "does not compute 8->8 3x3 fp16"), ("conv_naive", "8->8 3x3 fp32", {}, ""),
    ("conv_naive", "8->8 3x3, 8->8 3x3 fp32", {}, "does not compute"),
    ("conv_naive", "8->8 3x3, 9->8 3x3 fp32", {}, "do not fit together"), ("conv_naive", "5000->8 3x3 fp32", {}, "none of a network"),
    ("conv_naive", "4096->4096 63x63 fp32", {}, "none of a network"), ("clip", "8->8 3x3 fp32", {}, "no convolution kernel"),
    ("conv_packed", "8->8 3x3 fp16", {"half_sums": 1}, "half_sums is set by hand alone"), ("conv_packed", "8->8 3x3 fp16", {}, "")])
def test_what_a_kernel_does_not_do_is_refused(tmp_path, kernel, shape, parameters, reason):
    known = json.loads(subprocess.run([os.environ["UPRES_BIN"], "tune-worker", "--tunables"], check=True, capture_output=True).stdout)
    measured = {"parameters": {name: values[0] for name, values in known[kernel].items()} | parameters, "time_ms": 1e4}
    entry = GOOD["entries"][0] | {"kernel": kernel, "shape": shape, "precision": shape[-4:], "best": measured, "default": measured,
                                  "rejected": []}
    (tmp_path / "a.json").write_text(json.dumps(GOOD | {"entries": [GOOD["entries"][0], entry]}))
    done = merge(tmp_path, tmp_path / "a.json", code=1 if reason else 0)
    assert not reason or ("refused: entries[1]: " in done.stderr and reason in done.stderr)
    assert (tmp_path / "devices/nvidia/hopper.json").exists() == (not reason)


@pytest.mark.parametrize("content, reason", [('{"entries": [', "cut off"), ("[]", "entries is missing"),
                                             ('{"entries": [3]}', "kernel is missing"), ("9" * 10000, "not JSON")])
def test_a_bad_database_file_is_named_and_stays(tmp_path, content, reason):
    target = tmp_path / "devices/nvidia/hopper.json"
    target.parent.mkdir(parents=True)
    target.write_text(content)
    (tmp_path / "a.json").write_text(json.dumps(GOOD))
    [line] = merge(tmp_path, tmp_path / "a.json", code=1).stderr.splitlines()
    assert "a.json: refused" in line and str(target) in line and reason in line
    assert target.read_text() == content


def test_a_database_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "devices").write_text("a file, no folder")
    (tmp_path / "a.json").write_text(json.dumps(GOOD))
    [line] = merge(tmp_path, tmp_path / "a.json", code=1).stderr.splitlines()
    assert "a.json: not merged" in line


def test_missing_files_and_folders_are_refused(tmp_path):
    done = merge(tmp_path, tmp_path / "missing.json", tmp_path, code=1)
    assert done.stderr.count("refused") == 2


def test_merging_adds_replaces_and_keeps(tmp_path):
    target = tmp_path / "devices/nvidia/hopper.json"
    target.parent.mkdir(parents=True)
    target.write_bytes((ROOT / "devices/nvidia/hopper.json").read_bytes())
    before = json.loads(target.read_text())["entries"]
    (tmp_path / "a.json").write_text(json.dumps(GOOD))
    merge(tmp_path, tmp_path / "a.json", more=["--check"])
    assert json.loads(target.read_text())["entries"] == before
    merge(tmp_path, tmp_path / "a.json")
    merge(tmp_path, tmp_path / "a.json")
    after = json.loads(target.read_text())["entries"]
    assert after[:len(before)] == before and len(after) == len(before) + 2
    won, stayed = after[-2:]
    assert won["tuning"] == {"group_size_x": 8, "group_size_y": 4} and won["device"] == "NVIDIA H0"
    # What kernels are chosen by, also where the default stayed.
    assert won["ns_per_px"] == round(1e6 / (64 * 48), 6) and stayed["ns_per_px"] == round(2e6 / (64 * 48), 6)
    (tmp_path / "b.json").write_text(change([*FIRST, "best", "parameters", "group_size_x"], 16))
    merge(tmp_path, tmp_path / "b.json")
    assert json.loads(target.read_text())["entries"][-2]["tuning"]["group_size_x"] == 16


def test_a_default_that_does_not_work_may_be_null(tmp_path):
    broken = change([*FIRST, "default"], {"parameters": None, "time_ms": None, "gflops": None})
    (tmp_path / "a.json").write_text(broken)
    merge(tmp_path, tmp_path / "a.json")
    added = json.loads((tmp_path / "devices/nvidia/hopper.json").read_text())["entries"][0]
    assert added["tuning"] == {"group_size_x": 8, "group_size_y": 4} and "the default does not work" in added["reason"]


def test_what_tune_exports_can_be_merged_and_read_again(upres, llvmpipe, cache, tmp_path):
    upres("tune", "-m", "espcn_x2", "--size", "24x16", "--kernel", "conv_naive", "--budget", "12", "--export", "mine.json",
          device=llvmpipe)
    export = json.loads((upres.folder / "mine.json").read_text())
    assert len(export["entries"]) == 4 and export["limits"]
    refused = upres("tune", "-m", "espcn_x2", "--size", "24x16", "--export", "mine.json", device=llvmpipe, code=1)
    assert "mine.json exists (--overwrite)" in refused.stderr
    # What one kept the next one exports too, whatever it reaches itself.
    upres("tune", "-m", "espcn_x2", "--size", "24x16", "--kernel", "conv_naive", "--budget", "1", "--export", "mine.json",
          "--overwrite", device=llvmpipe)
    again = json.loads((upres.folder / "mine.json").read_text())["entries"]
    assert [entry["shape"] for entry in again] == [entry["shape"] for entry in export["entries"]]
    merge(tmp_path, upres.folder / "mine.json")
    for file in (tmp_path / "devices").rglob("*.json"):
        override(cache, file.read_text())
        assert "left out" not in upres("inspect", "espcn_x2", "--plan", device=llvmpipe).stderr
    upres("tune", "-m", "espcn_x2", "--size", "24x16", "--kernel", "conv_naive", "--budget", "2", "--export", "no/such/mine.json",
          device=llvmpipe, code=1)
