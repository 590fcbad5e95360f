"""Each kind of bad input: one clear line, the contract's exit code, no output, the other inputs still done."""

import os
import resource
import shutil
import subprocess

import numpy as np
import pytest

from pictures import gradient, png_bytes, save


@pytest.fixture
def good(upres):
    return save(upres.folder / "good.png", gradient(10, 8))


def refuse(upres, name, code=1, *arguments):
    """Runs with a good picture beside the bad one."""
    done = upres(name, "good.png", "-o", "out", *arguments, code=code)
    assert [file for file in upres.files() if file.startswith("out/")] == ["out/good.png"]
    complaints = [line for line in done.stderr.splitlines() if " -> " not in line and " done, " not in line]
    assert len(complaints) == 1, done.stderr
    return complaints[0]


def test_missing(upres, good):
    assert "missing.png" in refuse(upres, "missing.png")


def test_empty(upres, good):
    (upres.folder / "empty.png").touch()
    assert refuse(upres, "empty.png").startswith("cannot read empty.png: ")


def test_no_picture(upres, good):
    (upres.folder / "text.jpg").write_text("hello " * 100)
    refuse(upres, "text.jpg")


def test_a_picture_of_another_kind(upres, good):
    save(upres.folder / "picture.gif", gradient(8, 8, 1))
    assert "GIF" in refuse(upres, "picture.gif")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("extension", ["jpg", "png", "webp", "tif"])
def test_truncated(upres, good, extension, share):
    whole = save(upres.folder / f"whole.{extension}", gradient(64, 48)).read_bytes()
    (upres.folder / f"cut.{extension}").write_bytes(whole[:int(len(whole) * share)])
    assert refuse(upres, f"cut.{extension}").startswith(f"cannot read cut.{extension}: ")


@pytest.mark.parametrize("name", ["xcsn0g01.png", "xdtn0g01.png", "truncated_image.png", "truncated_jpeg.jpg", "png-truncated.png",
                                  "Bad_width.bmp", "pil_sample_cmyk.jpg", "anim.webp", "ball.png"])
def test_odd_files_that_are_refused(upres, good, data, name):
    shutil.copy(data / "images" / "odd" / name, upres.folder)
    assert refuse(upres, name).startswith(f"cannot read {name}: ")


def test_a_folder_where_a_picture_should_be(upres, good):
    (upres.folder / "folder.png").mkdir()
    done = upres("folder.png", code=0)  # an empty folder is nothing to do
    assert "folder.png holds no pictures" in done.stderr and len(done.stderr.splitlines()) == 1
    (upres.folder / "folder.png" / "notes.txt").write_text("no picture")
    assert "folder.png holds no pictures" in upres("folder.png").stderr
    assert upres("folder.png", "--quiet").stderr == ""
    assert upres.files() == ["folder.png/notes.txt", "good.png"]


def as_nobody():
    """For a child process: root may list every folder."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def test_a_folder_that_cannot_be_listed(upres, good):
    locked = upres.folder / "locked"
    locked.mkdir()
    save(locked / "p.png", gradient(8, 8))
    locked.chmod(0o700 if os.geteuid() == 0 else 0)
    upres.folder.chmod(0o777)
    try:
        alone = upres("locked", code=1, preexec_fn=as_nobody).stderr
        both = upres("locked", "good.png", "-o", "out/", code=1, preexec_fn=as_nobody).stderr
    finally:
        locked.chmod(0o700)
    assert alone == "cannot list folder locked: Permission denied\n"
    assert alone in both and "out/good.png" in upres.files()


def test_an_empty_name(upres, good):
    assert upres("", code=1).stderr == "an input has an empty name\n"
    assert "empty name" in refuse(upres, "")


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", "/dev/urandom"])
def test_devices_are_no_pictures(upres, good, name):
    assert refuse(upres, name) == f"cannot read {name}: it is a device, not a file"
    with open(name, "rb") as file:
        assert upres("-", code=1, stdin=file).stderr == "cannot read standard input: it is a device, not a file\n"
    assert "it is a device" in upres("run", "espcn_x2", name, "-o", "out.npy", code=1).stderr


@pytest.mark.skipif("asan" in os.environ["UPRES_BIN"] or "tsan" in os.environ["UPRES_BIN"], reason="sanitizers need the address space")
def test_a_pipe_without_end(upres):
    limit = 1024 << 20
    with subprocess.Popen(["cat", "/dev/zero"], stdout=subprocess.PIPE) as endless:
        done = upres("-", code=1, stdin=endless.stdout, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        endless.stdout.close()
        endless.wait()
    assert "cannot read standard input: it is longer than" in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.skipif("tsan" in os.environ["UPRES_BIN"], reason="the thread sanitizer maps files of its own")
def test_a_limit_on_file_sizes(upres):
    save(upres.folder / "p.png", np.random.default_rng(1).integers(0, 256, (60, 60, 3)).astype(np.uint8))
    np.save(upres.folder / "in.npy", np.zeros((1, 1, 60, 60), np.float32))
    before = upres.files()
    restrict = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    assert "large" in upres("p.png", "--no-cache", code=1, preexec_fn=restrict).stderr
    assert "large" in upres("run", "espcn_x2", "in.npy", "-o", "o.npy", "--no-cache", code=1, preexec_fn=restrict).stderr
    assert upres.files() == before


def test_a_size_beyond_the_largest_factor(upres):
    save(upres.folder / "small.png", gradient(30, 20))
    save(upres.folder / "large.png", gradient(300, 200))
    done = upres("small.png", "large.png", "-s", "500x500", code=1)
    assert "large_500x500.png" in upres.files() and "small_500x500.png" not in upres.files()
    [line] = [line for line in done.stderr.splitlines() if line.startswith("small.png: ")]
    assert "500x333 is 16.67 times its 30x20, more than the 4" in line
    save(upres.folder / "odd.png", gradient(1000, 10))
    # Hardly more than 4 is not shown as 4.
    assert "4001x40 is 4.01 times" in upres("odd.png", "-s", "4001x4001", code=1).stderr


def test_output_folder_missing(upres, good):
    done = upres("good.png", "-o", "no/where/x.png", code=1)
    assert "no/where" in done.stderr and upres.files() == ["good.png"]
    done = upres("good.png", "-o", "no/where/", code=1)
    assert upres.files() == ["good.png"] and not (upres.folder / "no").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_output_folder_read_only(upres, good):
    (upres.folder / "locked").mkdir(mode=0o555)
    done = upres("good.png", "-o", "locked/x.png", code=1)
    assert "locked" in done.stderr and upres.files() == ["good.png"]


def test_output_folder_of_a_file_system_that_takes_nothing(upres, good):
    done = upres("good.png", "-o", "/proc/x.png", code=1)
    assert done.stderr.startswith("good.png: ") or "/proc/x.png" in done.stderr


def test_output_is_the_input(upres, good):
    before = good.read_bytes()
    os.link(good, upres.folder / "hard.png")
    os.symlink("good.png", upres.folder / "soft.png")
    for output in ("good.png", "./good.png", "hard.png", "soft.png", "."):
        done = upres("good.png", "-o", output, "--overwrite", code=1)
        assert "input itself" in done.stderr
    assert good.read_bytes() == before
    assert upres.files() == ["good.png", "hard.png", "soft.png"]


def test_output_is_another_input(upres, good):
    other = save(upres.folder / "good_x2.png", gradient(5, 5))
    before = other.read_bytes()
    done = upres("good.png", "good_x2.png", "--overwrite", code=1)
    assert "is an input of this call" in done.stderr
    assert other.read_bytes() == before
    assert upres.files() == ["good.png", "good_x2.png", "good_x2_x2.png"]


def test_output_is_no_regular_file(upres, good):
    (upres.folder / "folder").mkdir()
    (upres.folder / "folder" / "good.png").mkdir()
    upres("good.png", "-o", "folder", "--overwrite", code=1)
    os.mkfifo(upres.folder / "pipe.png")
    upres("good.png", "-o", "pipe.png", "--overwrite", code=1)
    upres("good.png", "-o", "/dev/null", "--format", "png", "--overwrite", code=1)
    assert not os.path.isfile("/dev/null")


def test_existing_output_fails_before_any_work(upres, good):
    (upres.folder / "good_x2.png").write_text("mine")
    events = upres.events("good.png", code=1)
    assert [event["event"] for event in events] == ["start", "failed", "summary"]
    assert (upres.folder / "good_x2.png").read_text() == "mine"
    os.symlink("nowhere", upres.folder / "dangling.png")
    upres("good.png", "-o", "dangling.png", code=1)
    assert os.readlink(upres.folder / "dangling.png") == "nowhere"


def test_two_inputs_for_one_output(upres, good):
    (upres.folder / "other").mkdir()
    save(upres.folder / "other" / "good.png", gradient(4, 4))
    upres("good.png", "other/good.png", "-o", "out", code=2)
    upres("good.png", "good.png", code=2)
    assert upres.files() == ["good.png", "other/good.png"]


@pytest.mark.parametrize("device", ["no such device", "gpu:7", "gpu", "cafe0000000000000000000000000000"])
def test_unknown_device_lists_the_devices(upres, good, device):
    # The software device is the only Vulkan device of the tests, and not a real GPU.
    done = upres("good.png", device=device, code=3)
    names = [line.split(": ", 1)[1].split(" (")[0] for line in done.stderr.splitlines()[1:]]
    assert len(names) >= 1 and upres.files() == ["good.png"]
    assert any("cpu," in line for line in done.stderr.splitlines())


def test_precision_that_the_device_cannot_do(upres, good):
    upres("good.png", "--precision", "fp16", code=3)
    done = upres("missing.png", "-o", "out/", "--precision", "fp16", code=3)  # before any input is looked at
    assert "missing.png" not in done.stderr and len(done.stderr.splitlines()) == 1
    upres("run", "espcn_x2", "missing.npy", "-o", "o.npy", "--precision", "fp16", code=3)
    assert os.listdir(upres.folder) == ["good.png"]


def test_a_kernel_for_gpus_on_the_cpu(upres, good):
    upres("good.png", "--kernel", "conv_naive", code=3)
    assert upres.files() == ["good.png"]


@pytest.mark.parametrize("name", ["2xNomosUni_span_multijpg_ldl.onnx", "animejanai_v3.1_spanf3_b5f48_fp16.onnx",
                                  "espcn_with_pre_post_customops.onnx", "espcn_x2_missing_external_data.onnx",
                                  "fsrcnn_fp16_convtranspose.onnx", "fsrcnn_x2_nhwc.onnx", "imdn_like_split_concat.onnx",
                                  "not_sr_classifier.onnx", "realesr-animevideov3.onnx", "waifu2x_upconv7_scale2x.onnx",
                                  "models.tsv", "other/ESPCN_x2.pb", "other/espcn_x3_model_epoch_599.pth"])
def test_models_that_are_refused(upres, good, data, name):
    done = upres("good.png", "missing.png", "-m", str(data / "models" / name), code=4)
    assert len(done.stderr.splitlines()) == 1 and name.split("/")[-1] in done.stderr
    assert upres.files() == ["good.png"]


def test_model_that_is_missing_or_damaged(upres, good, data):
    upres("good.png", "-m", "no_such.onnx", code=4)
    whole = (data / "models" / "super-resolution-10.onnx").read_bytes()
    for size in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        (upres.folder / "cut.onnx").write_bytes(whole[:size])
        upres("good.png", "-m", "cut.onnx", code=4)
    assert upres.files() == ["cut.onnx", "good.png"]


NAMES = [b"a b.png", b"[1].png", b"[a,b].png", b"50%.png", b"%s%n.png", b"a\nb.png", b"a\tb.png", "ñ テスト ♥ ę.png".encode(),
         "e\u0301.png".encode(), b"bad \xff\xfe utf8.png", b"a[page=1].png", b"it's \"quoted\".png", b"a:b*?.png", b"~.png",
         b"x" * 251 + b".png"]


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_names_of_any_bytes(upres, name):
    picture = save(upres.folder / "plain.png", gradient(6, 5))
    upres("plain.png", "-o", "expected.png")
    folder = os.fsencode(upres.folder)
    os.rename(picture, os.path.join(folder, name))
    done = upres(name, "-o", "out/")
    assert os.listdir(os.path.join(folder, b"out")) == [name]
    with open(os.path.join(folder, b"out", name), "rb") as file:
        assert file.read() == (upres.folder / "expected.png").read_bytes()
    assert len(done.stderr.splitlines()) == 1
    events = upres.events(name, "-o", b"again/")
    assert events[-1]["done"] == 1


def test_names_with_a_leading_dash(upres):
    save(upres.folder / "-x.png", gradient(6, 5))
    upres("./-x.png", "-o", "-y.png")
    upres("--device", "cpu", "--", "-x.png", device=None)
    assert upres.files() == ["-x.png", "-x_x2.png", "-y.png"]


def test_a_name_that_becomes_too_long(upres):
    name = "n" * 251 + ".png"
    save(upres.folder / name, gradient(4, 4))
    done = upres(name, code=1)
    assert "long" in done.stderr and upres.files() == [name]


def test_inputs_over_the_limits_of_a_format(upres):
    save(upres.folder / "wide.png", gradient(9000, 1, 1))
    done = upres("wide.png", "-o", "wide.webp", code=1)
    assert "16383" in done.stderr and upres.files() == ["wide.png"]
    save(upres.folder / "wider.png", gradient(40000, 1, 1))
    upres("wider.png", "-o", "wider.jpg", code=1)
    assert upres.files() == ["wide.png", "wider.png"]


def test_transparency_that_a_format_cannot_hold(upres):
    save(upres.folder / "clear.png", gradient(8, 8, 4))
    done = upres("clear.png", "-o", "clear.jpg", code=1)
    assert "JPEG" in done.stderr and upres.files() == ["clear.png"]


@pytest.mark.skipif("asan" in os.environ["UPRES_BIN"] or "tsan" in os.environ["UPRES_BIN"], reason="sanitizers need the address space")
def test_more_than_the_memory(upres):
    limit = 1536 << 20

    def restrict():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    # 16000 x 16000 pixels of 16 bits and four channels would be 2 GB.
    (upres.folder / "deep.png").write_bytes(png_bytes(np.full((4000, 4000, 4), 1000, np.uint16)))
    done = upres("deep.png", "-s", "4", "--threads", "1", code=1, preexec_fn=restrict)
    assert "memory" in done.stderr
    assert upres.files() == ["deep.png"]
