"""devices, doctor, models, inspect, run, bench, compare."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pictures import gradient, save


def lines(done):
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


DEVICE_KEYS = {"index", "kind", "name", "uuid", "type", "driver", "limits", "refused"}


def test_devices(upres):
    devices = lines(upres.plain("devices", "--json"))
    assert all(device["event"] == "device" and DEVICE_KEYS <= set(device) for device in devices)
    assert [device["index"] for device in devices] == list(range(len(devices)))
    assert devices[-1]["kind"] == "cpu" and devices[-1]["type"] == "cpu"
    text = upres.plain("devices").stdout.decode()
    assert all(device["name"] in text for device in devices)


def test_devices_without_vulkan(upres):
    upres.environment |= {"VK_ICD_FILENAMES": "/nonexistent.json", "VK_DRIVER_FILES": "/nonexistent.json"}
    devices = lines(upres.plain("devices", "--json"))
    assert [device["kind"] for device in devices] == ["cpu"]
    save(upres.folder / "p.png", gradient(6, 6))
    assert upres.events("p.png", device="auto")[0]["device"] == devices[0]["name"]
    upres("p.png", "-o", "q.png", device="gpu", code=3)


def test_auto_never_takes_a_software_gpu(upres, llvmpipe):
    save(upres.folder / "p.png", gradient(6, 6))
    cpu = lines(upres.plain("devices", "--json"))[-1]["name"]
    assert upres.events("p.png", device="auto")[0]["device"] == cpu


def test_devices_by_name_and_uuid(upres, llvmpipe):
    [gpu] = [device for device in lines(upres.plain("devices", "--json")) if device["type"] == "software"]
    save(upres.folder / "p.png", gradient(6, 6))
    for i, selector in enumerate(("llvmpipe", "LLVMPIPE", gpu["uuid"], gpu["uuid"].upper())):
        assert upres.events("p.png", "-o", f"{i}.png", device=selector)[0]["device"] == gpu["name"]


@pytest.mark.parametrize("which", ["cpu", "llvmpipe"])
def test_doctor(upres, llvmpipe, which):
    events = upres.events("doctor", device=which)
    checks = [event for event in events if event["event"] == "check"]
    assert len(checks) >= 6
    assert all(set(check) == {"event", "device", "kernel", "variant", "ok", "max_error", "limit"} for check in checks)
    assert all(check["ok"] for check in checks)
    if which == "llvmpipe":
        assert {"conv_naive", "encode", "decode"} <= {check["kernel"] for check in checks}


def test_doctor_prints_a_table(upres):
    assert b"kernel" in upres("doctor").stdout


def test_models(upres):
    models = lines(upres.plain("models", "--json"))
    assert [model["factor"] for model in models] == [2, 3, 4]
    assert all(set(model) == {"event", "name", "factor", "parameters", "quality"} for model in models)
    assert [model["parameters"] for model in models] == [58212, 59657, 61680]
    text = upres.plain("models").stdout.decode()
    assert all(model["name"] in text for model in models)


def test_inspect_graph(upres):
    text = upres("inspect", "espcn_x3").stdout.decode()
    assert text.count("conv(") == 4 and "1->64 5x5" in text and "depth_to_space" in text


@pytest.mark.parametrize("which", ["cpu", "llvmpipe"])
def test_inspect_plan(upres, llvmpipe, which):
    text = upres("inspect", "espcn_x2", "--plan", "--size", "100x80", device=which).stdout.decode()
    assert "conv" in text and len(text.splitlines()) >= 4


def test_inspect_plan_for_a_device_that_is_elsewhere(upres, llvmpipe):
    [gpu] = [device for device in lines(upres.plain("devices", "--json")) if device["type"] == "software"]
    gpu["name"] = "Elsewhere 9000"
    (upres.folder / "there.json").write_text(json.dumps(gpu))
    here = upres("inspect", "espcn_x2", "--plan", device="llvmpipe").stdout
    there = upres.plain("inspect", "espcn_x2", "--plan", "--device-info", "there.json").stdout
    assert b"[conv_" in there and len(there.splitlines()) == len(here.splitlines())
    (upres.folder / "wrong.json").write_text("{}")
    upres.plain("inspect", "espcn_x2", "--plan", "--device-info", "wrong.json", code=2)
    upres.plain("inspect", "espcn_x2", "--plan", "--device-info", "missing.json", code=2)


def test_inspect_reads_what_devices_prints(upres, llvmpipe):
    printed = upres.plain("devices", "--json").stdout
    (upres.folder / "all.json").write_bytes(printed)
    (upres.folder / "gpu.json").write_bytes(next(line for line in printed.splitlines() if b'"gpu"' in line))
    (upres.folder / "cpu.json").write_bytes(printed.splitlines()[-1])
    plans = [upres.plain("inspect", "espcn_x2", "--device-info", f"{name}.json").stdout for name in ("all", "gpu")]
    assert plans[0] == plans[1] and b"[conv_" in plans[0]
    refused = upres.plain("inspect", "espcn_x2", "--device-info", "cpu.json", code=2).stderr
    assert refused.startswith("cpu.json: it describes a CPU") and len(refused.splitlines()) == 1


def test_inspect_refuses_precisions_that_the_device_cannot_do(upres, llvmpipe):
    (upres.folder / "all.json").write_bytes(upres.plain("devices", "--json").stdout)
    for precision in ("bf16",):
        upres("inspect", "espcn_x2", "--plan", "--precision", precision, device=llvmpipe, code=3)
        upres.plain("inspect", "espcn_x2", "--device-info", "all.json", "--precision", precision, code=3)
    upres.plain("inspect", "espcn_x2", "--device-info", "all.json", "--precision", "fp32")


def test_devices_are_not_chosen_by_what_drivers_add(upres, llvmpipe):
    save(upres.folder / "p.png", gradient(6, 6))
    for selector in ("1", "15", "256", "bits", "(LLVM"):
        done = upres("p.png", device=selector, code=3)
        assert len(done.stderr.splitlines()) >= 3 and upres.files() == ["p.png"]
        assert ("say gpu:" + selector in done.stderr) == selector.isdigit()
    upres("p.png", device="CPU")
    upres("p.png", "-o", "q.png", device="Auto")
    upres("p.png", "-o", "r.png", device="GPU", code=3)


def test_inspect_what_is_no_model(upres):
    (upres.folder / "no.onnx").write_text("no")
    upres("inspect", "no.onnx", code=4)
    upres("inspect", "missing.onnx", code=4)
    upres("inspect", code=2)


@pytest.mark.parametrize("which", ["cpu", "llvmpipe"])
def test_bench(upres, llvmpipe, which):
    events = upres.events("bench", "-m", "espcn_x3", "--size", "50x40", "--runs", "3", device=which)
    assert events[0]["event"] == "start" and events[0]["command"] == "bench"
    result = events[-1]
    assert list(result) == ["event", "device", "driver", "model", "kernel", "precision", "lowered", "width", "height", "runs",
                            "median_ms", "min_ms", "total_ms", "gflops", "share_of_peak", "bytes", "times_naive", "max_error",
                            "layers", "steady_ms"]
    assert (result["model"], result["width"], result["height"], result["runs"]) == ("espcn_x3", 50, 40, 3)
    assert 0 < result["min_ms"] <= result["median_ms"] and result["total_ms"] > 0 and result["steady_ms"] > 0
    assert result["max_error"] < (1e-4 if result["precision"] == "fp32" else 0.02)
    assert result["lowered"] is False
    keys = ["name", "kernel", "constants", "median_ms", "gflops", "bytes", "registers", "shared_bytes"]
    assert all(list(layer) == keys for layer in result["layers"]) and len(result["layers"]) >= 4
    if which == "llvmpipe":
        assert result["kernel"] == "plan" and result["times_naive"] > 0
        assert 0 < result["share_of_peak"] < 1
        assert all(layer["shared_bytes"] is not None for layer in result["layers"])
    else:
        assert result["kernel"] not in ("plan", "") and result["times_naive"] is None
        assert result["share_of_peak"] is None
        assert all(layer["shared_bytes"] is None for layer in result["layers"])


def test_bench_ladder(upres, llvmpipe):
    events = upres.events("bench", "-m", "espcn_x3", "--size", "24x16", "--runs", "1", "--ladder", "--plot", "ladder.svg",
                          device=llvmpipe)
    assert events[0]["event"] == "start" and events[0]["precision"] is None
    results = events[1:]
    rungs = [(result["kernel"], result["precision"]) for result in results]
    assert rungs[:3] == [("conv_naive", "fp32"), ("conv_packed", "fp32"), ("conv_packed", "fp16")]
    assert rungs[-2:] == [("plan", "fp32"), ("plan", "fp16")] and ("conv_register", "fp16") in rungs
    assert results[0]["times_naive"] == 1 and all(result["times_naive"] > 0 for result in results)
    for result in results:
        assert result["event"] == "result" and 0 < result["share_computed"] <= 1 and 0 < result["share_of_peak"] < 1
        assert result["max_error"] < (1e-4 if result["precision"] == "fp32" else 0.02)
        convolutions = {layer["kernel"].split("_")[1] for layer in result["layers"] if layer["kernel"].startswith("conv")}
        if result["kernel"] != "plan" and result["share_computed"] == 1:
            assert convolutions == {result["kernel"].split("_")[1]}
    svg = (upres.folder / "ladder.svg").read_text()
    assert svg.startswith("<svg ") and svg.count('class="bar') >= len(results) and "conv_register" in svg


def test_bench_ladder_as_text(upres, llvmpipe):
    done = upres("bench", "--size", "12x10", "--runs", "1", "--ladder", "--precision", "fp32", device=llvmpipe)
    lines = done.stdout.decode().splitlines()
    assert any(line.startswith("conv_naive       fp32") and "100.0 %" in line for line in lines)
    assert any(line.startswith("group: shared bytes") for line in lines)
    assert "fp16" not in done.stdout.decode()
    upres("bench", "--ladder", "--size", "8x8", code=3)  # the CPU has none


@pytest.mark.parametrize("which", ["cpu", "llvmpipe"])
def test_bench_writes_a_trace_and_a_plot(upres, llvmpipe, which):
    call = ["bench", "-m", "espcn_x3", "--size", "50x40", "--tile", "32", "--runs", "1", "--trace", "t.json", "--plot", "p.svg"]
    result = upres.events(*call, device=which)[-1]
    trace = json.loads((upres.folder / "t.json").read_text())
    steps = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    names = [layer["name"] for layer in result["layers"]]
    network = [event for event in steps if event["pid"] == 1]
    windows = 1 + max(event["args"]["window"] for event in network)
    assert windows > 1 and [event["name"] for event in network] == names * windows
    assert all(event["dur"] >= 0 and event["ts"] >= 0 and event["args"]["bytes"] > 0 for event in steps)
    assert {"encode", "conv1", "decode"} <= {event["name"] for event in steps if event["pid"] == 2}
    assert (upres.folder / "p.svg").read_text().count('class="bar0"') == len(names)
    assert upres.files() == ["p.svg", "t.json"]


def test_bench_keeps_files_that_exist(upres):
    (upres.folder / "t.json").write_text("mine")
    call = ["bench", "--size", "16x16", "--runs", "1", "--trace", "t.json"]
    assert "t.json exists (--overwrite)" in upres(*call, code=1).stderr
    assert (upres.folder / "t.json").read_text() == "mine"
    upres(*call, "--overwrite")
    assert "traceEvents" in (upres.folder / "t.json").read_text()
    upres("bench", "--size", "16x16", "--plot", "missing/p.svg", code=1)
    upres("bench", "--size", "16x16", "--plot", "x.svg", "--trace", "x.svg", code=2)
    assert upres.files() == ["t.json"]


def test_bench_arguments(upres):
    upres("bench", "--size", "12", code=2)
    upres("bench", "--size", "0x5", code=2)
    upres("bench", "--runs", "0", code=2)
    upres("bench", "--ladder", "--kernel", "conv_naive", code=2)
    upres("bench", "--ladder", "--trace", "t.json", code=2)
    assert "must end in .svg" in upres("bench", "--size", "16x16", "--plot", "x.png", code=2).stderr
    for option in ("--plot", "--trace"):
        assert f"{option} writes a file" in upres("bench", "--size", "16x16", option, "-", code=2).stderr
    assert upres.files() == []
    upres("bench", "-m", "none.onnx", code=4)
    assert upres.events("bench", "--size", "16x16", "--runs", "1")[0]["model"] == "espcn_x2"


class TestRun:
    def test_events(self, upres):
        np.save(upres.folder / "in.npy", np.zeros((1, 1, 4, 5), np.float32))
        events = upres.events("run", "espcn_x2", "in.npy", "-o", "out.npy")
        assert [event["event"] for event in events] == ["start", "done", "summary"]
        assert (events[0]["model"], events[0]["precision"]) == ("espcn_x2", "fp32")
        assert (events[1]["output"], events[1]["width"], events[1]["height"]) == ("out.npy", 10, 8)
        assert list(events[2]) == ["event", "done", "skipped", "failed", "seconds"]
        assert (events[2]["done"], events[2]["skipped"], events[2]["failed"]) == (1, 0, 0)
        events = upres.events("run", "espcn_x2", "in.npy", "-o", "out.npy", code=1)
        assert [event["event"] for event in events] == ["start", "failed", "summary"]
        assert (events[2]["done"], events[2]["failed"]) == (0, 1)

    def test_windows_cannot_be_seen(self, upres):
        """Larger than one window of the CPU device."""
        np.save(upres.folder / "in.npy", np.random.default_rng(1).random((1, 1, 20, 600), np.float32))
        upres("run", "espcn_x2", "in.npy", "-o", "cut.npy")
        upres("run", "espcn_x2", "in.npy", "-o", "whole.npy", "--tile", "600")
        assert (np.load(upres.folder / "cut.npy") == np.load(upres.folder / "whole.npy")).all()

    def test_one_input_one_output(self, upres):
        np.save(upres.folder / "in.npy", np.random.default_rng(1).random((2, 1, 9, 7), np.float32))
        upres("run", "espcn_x2", "in.npy", "-o", "out.npy")
        out = np.load(upres.folder / "out.npy")
        assert out.dtype == np.float32 and out.shape == (2, 1, 18, 14)
        single = np.load(upres.folder / "in.npy")[1:]
        np.save(upres.folder / "single.npy", single)
        upres("run", "espcn_x2", "single.npy", "-o", "single_out.npy")
        assert (np.load(upres.folder / "single_out.npy") == out[1:]).all()

    def test_fp16_in_fp16_out(self, upres, data):
        np.save(upres.folder / "in.npy", np.random.default_rng(1).random((1, 3, 6, 5)).astype(np.float16))
        upres("run", str(data / "models" / "espcn_x2_rgb_fp16.onnx"), "in.npy", "-o", "out.npy")
        assert np.load(upres.folder / "out.npy").dtype == np.float16

    def test_outputs_by_name(self, upres):
        np.save(upres.folder / "in.npy", np.zeros((1, 1, 4, 4), np.float32))
        name = [line for line in upres("inspect", "espcn_x2").stdout.decode().splitlines() if line.startswith("output")]
        wrong = upres("run", "espcn_x2", "in.npy", "-o", "a.npy", "-o", "b.npy", code=2)
        output = wrong.stderr.rsplit(":", 1)[1].split()[0]
        upres("run", "espcn_x2", "in.npy", "-o", f"{output}=named.npy")
        assert "named.npy" in upres.files(), name
        upres("run", "espcn_x2", "in.npy", code=2)

    @pytest.mark.parametrize("array", [np.zeros((1, 1, 4, 4)), np.zeros((1, 1, 4, 4), np.float16), np.zeros((1, 3, 4, 4), np.float32),
                                       np.zeros((4, 4), np.float32), np.zeros((1, 1, 0, 4), np.float32),
                                       np.zeros((1, 1, 4, 4), np.uint8)], ids=lambda a: f"{a.dtype}{a.shape}")
    def test_tensors_that_do_not_fit(self, upres, array):
        np.save(upres.folder / "in.npy", array)
        code = 1 if array.dtype == np.float64 else 4
        assert len(upres("run", "espcn_x2", "in.npy", "-o", "out.npy", code=code).stderr.splitlines()) == 1
        assert upres.files() == ["in.npy"]

    def test_files_that_do_not_fit(self, upres):
        (upres.folder / "no.npy").write_text("no array")
        upres("run", "espcn_x2", "no.npy", "-o", "out.npy", code=1)
        upres("run", "espcn_x2", "missing.npy", "-o", "out.npy", code=1)
        np.save(upres.folder / "in.npy", np.zeros((1, 1, 4, 4), np.float32))
        assert "2 files" in upres("run", "espcn_x2", "in.npy", "in.npy", "-o", "out.npy", code=2).stderr
        upres("run", "espcn_x2", "-o", "out.npy", code=2)
        upres("run", "espcn_x2", "in.npy", "-o", "in.npy", "--overwrite", code=1)
        assert "the output folder no does not exist" in upres("run", "espcn_x2", "missing.npy", "-o", "no/where.npy", code=1).stderr
        (upres.folder / "out.npy").write_text("mine")
        upres("run", "espcn_x2", "in.npy", "-o", "out.npy", code=1)
        assert (upres.folder / "out.npy").read_text() == "mine"
        upres("run", "espcn_x2", "in.npy", "-o", "out.npy", "--overwrite")
        assert np.load(upres.folder / "out.npy").shape == (1, 1, 8, 8)


class TestCompare:
    def test_values(self, upres):
        a = gradient(40, 30)
        b = np.clip(a.astype(int) + 2, 0, 255).astype(np.uint8)
        save(upres.folder / "a.png", a)
        save(upres.folder / "b.png", b)
        [result] = lines(upres.plain("compare", "a.png", "b.png", "--json"))
        assert list(result) == ["event", "psnr_rgb", "psnr_luma", "ssim_luma", "width", "height"]
        difference = a.astype(float) - b
        assert result["psnr_rgb"] == pytest.approx(10 * np.log10(255**2 / np.mean(difference**2)), abs=1e-9)
        weights = np.array([65.481, 128.553, 24.966]) / 255
        assert result["psnr_luma"] == pytest.approx(10 * np.log10(255**2 / np.mean((difference @ weights)**2)), abs=1e-9)
        assert 0.9 < result["ssim_luma"] < 1 and (result["width"], result["height"]) == (40, 30)
        text = upres.plain("compare", "a.png", "b.png").stdout.decode()
        assert f"{result['psnr_luma']:.4f}" in text

    def test_equal_pictures(self, upres):
        save(upres.folder / "a.png", gradient(20, 20))
        [result] = lines(upres.plain("compare", "a.png", "a.png", "--json"))
        assert result["psnr_rgb"] is None and result["ssim_luma"] == pytest.approx(1)
        assert "inf" in upres.plain("compare", "a.png", "a.png").stdout.decode()

    def test_shave(self, upres):
        a = gradient(20, 16)
        b = a.copy()
        b[0, 0] = 255 - b[0, 0]
        save(upres.folder / "a.png", a)
        save(upres.folder / "b.png", b)
        [result] = lines(upres.plain("compare", "a.png", "b.png", "--shave", "1", "--json"))
        assert result["psnr_rgb"] is None and (result["width"], result["height"]) == (18, 14)
        upres.plain("compare", "a.png", "b.png", "--shave", "8", code=2)
        for wrong in ("-1", "1.5", "x", "", "99999999999"):
            assert len(upres.plain("compare", "a.png", "b.png", "--shave", wrong, code=2).stderr.splitlines()) == 1
        assert "'-1' is no number of pixels" in upres.plain("compare", "a.png", "b.png", "--shave", "-1", code=2).stderr

    def test_refusals(self, upres):
        save(upres.folder / "a.png", gradient(20, 16))
        save(upres.folder / "b.png", gradient(16, 20))
        upres.plain("compare", "a.png", "b.png", code=1)
        upres.plain("compare", "a.png", "missing.png", code=1)
        upres.plain("compare", "a.png", code=2)
        upres.plain("compare", "a.png", "a.png", "a.png", code=2)
        upres.plain("compare", "a.png", "a.png", "--html", "x.html", code=2)


def test_tune_prints_the_best_beside_what_was_used(upres, llvmpipe):
    events = upres.events("tune", "-m", "espcn_x2", "--size", "24x16", "--kernel", "conv_packed", "--budget", "12",
                          device="llvmpipe")
    best = [event for event in events if event["event"] == "best"]
    assert len(best) == 4
    for event in best:
        assert event["kernel"] == "conv_packed" and event["device"].startswith("llvmpipe")
        assert set(event["best"]) == set(event["default"]) == {"parameters", "time_ms", "gflops"}
        assert 0 < event["best"]["time_ms"] <= event["default"]["time_ms"]
        assert not event["rejected"]
    upres("tune", "-m", "espcn_x2", device="cpu", code=3)
    upres("tune", "--kernel", "conv_nowhere", device="llvmpipe", code=2)


def test_fp16_on_a_gpu_is_close_to_fp32(upres, llvmpipe):
    save(upres.folder / "p.png", gradient(24, 16))
    for precision in ("fp32", "fp16"):
        upres("p.png", "-o", f"{precision}.png", "--precision", precision, "--kernel", "conv_packed", device="llvmpipe")
    [comparison] = lines(upres.plain("compare", "fp32.png", "fp16.png", "--json"))
    assert comparison["psnr_rgb"] is None or comparison["psnr_rgb"] > 55


class TestBenchScripts:
    """The scripts of bench/ that drive the command, or need nothing of it."""

    BENCH = Path(__file__).resolve().parents[2] / "bench"

    def run(self, upres, *arguments, code=0):
        done = subprocess.run([sys.executable, *arguments], cwd=upres.folder, env=upres.environment, capture_output=True,
                              text=True, check=False)
        assert done.returncode == code, done.stderr
        return done

    def test_start_up(self, upres, llvmpipe):
        build = Path(os.environ["UPRES_BIN"]).parents[1]
        if not (build / "bin" / "bench_open_device").exists():
            pytest.skip("built without UPRES_BENCH")
        call = [self.BENCH / "start_up.py", "--build", build, "--size", "16x16", "--runs", "1", "--results", "out.jsonl"]
        self.run(upres, *call, "--device", llvmpipe)
        record = json.loads((upres.folder / "out.jsonl").read_text())
        assert record["device"].startswith("llvmpipe") and record["picture_ms"] > record["open_ms"] > 0
        assert "no device named" in self.run(upres, *call, "--device", "nowhere", code=3).stderr
        assert upres.files() == ["out.jsonl"]

    def test_torch_says_what_is_missing(self, upres):
        done = self.run(upres, "-S", self.BENCH / "torch_espcn.py", code=3)
        assert "there is no PyTorch here" in done.stderr
