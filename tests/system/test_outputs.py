"""What is written: names, formats, events, tiles that cannot be seen, caches."""

import json
import os
import stat
import subprocess

import numpy as np
import pytest

from pictures import gradient, load, png_bytes, save


@pytest.fixture
def picture(upres):
    return save(upres.folder / "p.png", gradient(61, 47))


@pytest.mark.parametrize("extension, magic", [("jpg", b"\xff\xd8\xff"), ("jpeg", b"\xff\xd8\xff"), ("png", b"\x89PNG"), ("PNG", b"\x89PNG"),
                                              ("webp", b"RIFF"), ("tif", b"II*\0"), ("tiff", b"II*\0")])
def test_the_extension_is_the_format(upres, picture, extension, magic):
    upres("p.png", "-o", f"out.{extension}")
    assert (upres.folder / f"out.{extension}").read_bytes().startswith(magic)
    assert load(upres.folder / f"out.{extension}").shape == (94, 122, 3)


@pytest.mark.parametrize("format_name, extension", [("jpg", "jpg"), ("jpeg", "jpg"), ("png", "png"), ("webp", "webp"), ("tiff", "tif")])
def test_format_option(upres, picture, format_name, extension):
    upres("p.png", "--format", format_name)
    single = upres.folder / f"p_x2.{extension}"
    upres("p.png", "-o", "out/", "--format", format_name)
    assert (upres.folder / "out" / f"p.{extension}").read_bytes() == single.read_bytes()


def test_quality_option(upres, picture):
    sizes = []
    for quality in ("20", "60", "95"):
        upres("p.png", "-o", f"{quality}.jpg", "--quality", quality)
        sizes.append((upres.folder / f"{quality}.jpg").stat().st_size)
    assert sizes == sorted(sizes) and sizes[0] < sizes[2] / 2
    upres("p.png", "-o", "default.jpg")
    assert (upres.folder / "default.jpg").read_bytes() == (upres.folder / "95.jpg").read_bytes()


def test_batch_and_single_runs_agree(upres):
    names = []
    for i, extension in enumerate(("png", "jpg", "webp", "tif")):
        names.append(save(upres.folder / f"{i}.{extension}", gradient(20 + i, 30 - i)).name)
    upres(*names, "-o", "out", "-s", "1.7")
    for name in names:
        upres(name, "-o", f"single_{name}", "-s", "1.7")
        assert (upres.folder / f"single_{name}").read_bytes() == (upres.folder / "out" / name).read_bytes()


def test_permissions_follow_the_umask(upres, picture):
    upres("p.png", preexec_fn=lambda: os.umask(0o027))
    assert stat.S_IMODE((upres.folder / "p_x2.png").stat().st_mode) == 0o640


def test_overwrite_keeps_the_permissions(upres, picture):
    for name, mode in (("a.png", 0o600), ("b.png", 0o664)):
        (upres.folder / name).write_text("old")
        (upres.folder / name).chmod(mode)
        upres("p.png", "-o", name, "--overwrite")
        assert stat.S_IMODE((upres.folder / name).stat().st_mode) == mode
        assert load(upres.folder / name).shape == (94, 122, 3)


def test_sixteen_bits_in_formats_of_eight_are_told(upres):
    (upres.folder / "deep.png").write_bytes(png_bytes((gradient(12, 10).astype(np.uint16) * 257)))
    for extension, is_told in (("jpg", True), ("webp", True), ("png", False), ("tif", False)):
        lines = upres("deep.png", "-o", f"out.{extension}").stderr.splitlines()
        assert sum("16 bits" in line and "deep.png" in line for line in lines) == (1 if is_told else 0)
        assert upres("deep.png", "-o", f"quiet.{extension}", "--quiet").stderr == ""


def test_what_a_format_cannot_keep_is_told_of_its_file(upres, data):
    done = upres(str(data / "images" / "odd" / "cat.jpg"), "-o", "cat.tif")
    assert any(line.startswith("cat.tif: ") and "EXIF" in line for line in done.stderr.splitlines())


@pytest.mark.parametrize("which", ["cpu", "llvmpipe"])
def test_verbose_tells_device_model_kernels_and_tiles(upres, llvmpipe, picture, which):
    save(upres.folder / "q.png", gradient(61, 40))
    save(upres.folder / "grey.png", gradient(61, 40, 1))
    lines = upres("p.png", "q.png", "grey.png", "-o", "out/", "--tile", "50", "--precision", "fp32", "--verbose", "--no-tune",
                  device=which).stderr.splitlines()
    devices = [line for line in lines if line.startswith("device ")]
    assert len(devices) == 1 and "model espcn_x2" in devices[0] and "fp32" in devices[0]
    name = next(device["name"] for device in map(json.loads, upres.plain("devices", "--json").stdout.decode().splitlines())
                if device["type"] == ("cpu" if which == "cpu" else "software"))
    assert sum(name in line for line in lines) == 1
    kernels = [line for line in lines if line.startswith("kernel ")]
    assert len(kernels) >= 3 and len(set(kernels)) == len(kernels)
    if which == "llvmpipe":
        assert any("kernel conv_" in line and "in_channels=" in line for line in kernels)
    tiles = [line for line in lines if line.startswith("tiles: ")]
    assert len(tiles) == 3 and all("2 windows of 37x4" in line and "overlap 10x10" in line for line in tiles)


def test_start_tells_what_was_chosen(upres, picture):
    start = upres.events("missing.png", code=1)[0]
    assert start["event"] == "start" and start["model"] is None and start["precision"] is None and start["device"]
    start = upres.events("missing.png", "-m", "espcn_x3", "--precision", "fp32", code=1)[0]
    assert (start["model"], start["precision"]) == ("espcn_x3", "fp32")


def test_overwrite_follows_a_symbolic_link(upres, picture):
    (upres.folder / "elsewhere").mkdir()
    (upres.folder / "elsewhere" / "real.png").write_text("old")
    os.symlink("elsewhere/real.png", upres.folder / "link.png")
    upres("p.png", "-o", "link.png", "--overwrite")
    assert (upres.folder / "link.png").is_symlink()
    assert load(upres.folder / "elsewhere" / "real.png").shape == (94, 122, 3)


@pytest.mark.parametrize("scale", ["2", "3", "4", "1.3", "2.6", "150x100"])
def test_tiles_cannot_be_seen(upres, picture, scale):
    upres("p.png", "-s", scale, "-o", "whole.png")
    for tile in ("32", "33", "48", "1000000"):
        upres("p.png", "-s", scale, "-o", "tiled.png", "--tile", tile, "--overwrite")
        assert (upres.folder / "tiled.png").read_bytes() == (upres.folder / "whole.png").read_bytes(), tile


@pytest.mark.parametrize("scale", ["2", "3.3"])
def test_tiles_cannot_be_seen_on_a_gpu(upres, llvmpipe, scale):
    save(upres.folder / "p.png", gradient(45, 38, 4))
    upres("p.png", "-s", scale, "-o", "whole.png", device=llvmpipe)
    upres("p.png", "-s", scale, "-o", "tiled.png", "--tile", "30", device=llvmpipe)
    assert (upres.folder / "tiled.png").read_bytes() == (upres.folder / "whole.png").read_bytes()


def test_a_tile_that_is_too_small(upres, picture):
    save(upres.folder / "q.png", gradient(50, 50))
    for scale in ("2", "2.5"):
        done = upres("p.png", "q.png", "-s", scale, "-o", "out/", "--tile", "8", code=2)
        assert "--tile: tile size 8 is too small" in done.stderr and len(done.stderr.splitlines()) == 1
    assert upres.files() == ["p.png", "q.png"]


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("scale", ["2", "2.5"])
def test_devices_agree(upres, llvmpipe, channels, scale):
    save(upres.folder / "p.png", gradient(33, 21, channels))
    upres("p.png", "-s", scale, "-o", "cpu.png", "--precision", "fp32")
    upres("p.png", "-s", scale, "-o", "gpu.png", device=llvmpipe)
    difference = load(upres.folder / "cpu.png").astype(int) - load(upres.folder / "gpu.png")
    assert abs(difference).max() <= 1


def test_events_of_a_batch(upres, picture):
    save(upres.folder / "q.png", gradient(10, 20))
    (upres.folder / "broken.png").write_text("no")
    events = upres.events("p.png", "broken.png", "q.png", "-s", "3", code=1)
    by_kind = {}
    for event in events:
        by_kind.setdefault(event["event"], []).append(event)
    assert events[0]["event"] == "start" and events[-1]["event"] == "summary"
    start = events[0]
    assert set(start) == {"event", "command", "version", "device", "driver", "model", "precision"}
    assert start["command"] == "upscale" and start["model"] == "espcn_x3" and start["precision"] in ("fp32", "bf16")
    for event in by_kind["progress"]:
        assert set(event) == {"event", "done", "total", "megapixels_per_s", "eta_s"}
        assert 0 <= event["done"] <= event["total"] == 3 * 61 * 3 * 47 + 30 * 60
    assert by_kind["progress"][-1]["done"] == by_kind["progress"][-1]["total"]
    assert [set(event) for event in by_kind["done"]] == [{"event", "input", "output", "seconds", "width", "height"}] * 2
    assert by_kind["done"][0]["output"] == "p_x3.png" and by_kind["done"][1]["width"] == 30
    assert [set(event) for event in by_kind["failed"]] == [{"event", "input", "code", "message"}]
    assert by_kind["failed"][0]["input"] == "broken.png" and by_kind["failed"][0]["code"] == 1
    assert set(events[-1]) == {"event", "done", "skipped", "failed", "seconds"}
    assert (events[-1]["done"], events[-1]["skipped"], events[-1]["failed"]) == (2, 0, 1)


def test_events_of_failures_before_any_work(upres, picture):
    for arguments, code in ((["-m", "none.onnx"], 4), (["--precision", "fp16"], 3), (["-s", "9"], 2)):
        events = upres.events("p.png", *arguments, code=code)
        assert [event["event"] for event in events] == ["failed"]
        assert events[0]["code"] == code and events[0]["input"] is None


def test_quiet_and_verbose(upres, picture):
    assert upres("p.png", "--quiet", "-o", "a.png").stderr == ""
    usual = upres("p.png", "-o", "b.png").stderr
    assert len(usual.splitlines()) == 1 and "b.png" in usual
    loud = upres("p.png", "--verbose", "-o", "c.png").stderr
    assert "espcn_x2" in loud and len(loud) > len(usual)
    assert "missing.png" in upres("missing.png", "--quiet", code=1).stderr


def test_no_progress_bar_without_a_terminal(upres, picture):
    assert "\r" not in upres("p.png").stderr


def run_on_a_terminal(upres, channel, *arguments):
    """Runs with one of its channels on a terminal; the exit code and what was shown there."""
    controller, terminal = os.openpty()
    channels = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, channel: terminal}
    done = subprocess.run([os.environ["UPRES_BIN"], *arguments, "--device", "cpu"], cwd=upres.folder, env=upres.environment,
                          check=False, **channels)
    os.write(terminal, b"end")
    os.close(terminal)
    shown = os.read(controller, 100000)
    os.close(controller)
    return done.returncode, shown.decode()


def test_progress_bar_on_a_terminal(upres, picture):
    code, shown = run_on_a_terminal(upres, "stderr", "p.png")
    assert code == 0 and "100 %" in shown and "Mpx/s" in shown and "p_x2.png" in shown
    code, shown = run_on_a_terminal(upres, "stderr", "p.png", "-o", "quiet.png", "--quiet")
    assert code == 0 and shown == "end"


def test_a_picture_never_goes_to_a_terminal(upres, picture):
    code, shown = run_on_a_terminal(upres, "stdout", "p.png", "-o", "-")
    assert code == 2 and shown == "end"


def test_inputs_that_are_pipes(upres, picture):
    upres("p.png", "-o", "plain.png")
    reader, writer = os.pipe()
    os.write(writer, picture.read_bytes())
    os.close(writer)
    upres(f"/dev/fd/{reader}", "-o", "piped.png", pass_fds=[reader])
    os.close(reader)
    assert (upres.folder / "piped.png").read_bytes() == (upres.folder / "plain.png").read_bytes()


def test_many_pictures_of_many_kinds(upres):
    """More kinds than sessions are kept for, twice over."""
    for i in range(8):
        (upres.folder / f"{i}.png").write_bytes(png_bytes(gradient(9 + i, 11, 1 + i % 4).astype(np.uint16 if i > 3 else np.uint8)))
    names = [f"{i}.png" for i in range(8)]
    upres(*names, "-o", "out")
    for name in reversed(names):
        upres(name, "-o", f"s{name}")
        assert (upres.folder / f"s{name}").read_bytes() == (upres.folder / "out" / name).read_bytes()


class TestCache:
    def test_measured_precision_is_kept(self, upres, picture, tmp_path):
        folder = tmp_path / "made" / "on the way ñ"
        first = upres.events("p.png", "--cache", str(folder), "-o", "a.png")[0]["precision"]
        devices = upres.plain("devices", "--json").stdout.decode().splitlines()
        has_bf16 = json.loads(devices[-1])["limits"]["bf16"]
        assert len(list(folder.glob("*"))) == 1 if has_bf16 else not folder.exists()
        assert upres.events("p.png", "--cache", str(folder), "-o", "b.png")[0]["precision"] == first
        for file in folder.glob("*"):
            file.write_bytes(b"damaged")
        assert upres.events("p.png", "--cache", str(folder), "-o", "c.png")[0]["precision"] == first

    def test_none(self, upres, picture, tmp_path):
        upres.environment |= {"UPRES_CACHE": str(tmp_path / "unused")}
        upres("p.png", "--no-cache")
        assert not (tmp_path / "unused").exists()

    def test_unwritable(self, upres, picture):
        upres("p.png", "--cache", "/proc/nowhere", "-o", "a.png")
        (upres.folder / "file").write_text("in the way")
        upres("p.png", "--cache", "file", "-o", "b.png")
        assert (upres.folder / "a.png").read_bytes() == (upres.folder / "b.png").read_bytes()

    def test_pipelines(self, upres, llvmpipe, tmp_path):
        save(upres.folder / "s.png", gradient(8, 8))
        folder = tmp_path / "pipelines"
        upres("s.png", "--cache", str(folder), "-o", "a.png", device=llvmpipe)
        assert any(file.stat().st_size > 0 for file in folder.iterdir())
        for file in folder.iterdir():
            file.write_bytes(b"damaged" * 1000)
        upres("s.png", "--cache", str(folder), "-o", "b.png", device=llvmpipe)
        assert (upres.folder / "a.png").read_bytes() == (upres.folder / "b.png").read_bytes()

    def test_size_is_bounded(self, upres, picture, tmp_path):
        folder = tmp_path / "full"
        folder.mkdir()
        for i in range(3):
            with open(folder / f"{i}.pipelines", "wb") as file:
                file.truncate(100 << 20)
            os.utime(folder / f"{i}.pipelines", (1000 + i, 1000 + i))
        (folder / "mine.txt").write_text("keep")
        upres("p.png", "--cache", str(folder))
        left = sorted(file.name for file in folder.iterdir() if file.suffix != ".upres")
        assert left == ["1.pipelines", "2.pipelines", "mine.txt"]
