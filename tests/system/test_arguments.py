"""The contract's table of examples, help and version, options that do not exist."""

import pytest

from pictures import gradient, load, save

SUBCOMMANDS = ["upscale", "devices", "doctor", "models", "inspect", "run", "bench", "compare", "tune"]


@pytest.fixture
def photo(upres):
    return save(upres.folder / "photo.jpg", gradient(40, 30))


def size(upres, name):
    height, width, _ = load(upres.folder / name).shape
    return width, height


def test_twice_beside_it(upres, photo):
    upres("photo.jpg")
    assert upres.files() == ["photo.jpg", "photo_x2.jpg"]
    assert size(upres, "photo_x2.jpg") == (80, 60)


def test_the_word_may_be_said(upres, photo):
    upres("upscale", "photo.jpg")
    assert size(upres, "photo_x2.jpg") == (80, 60)


def test_options_may_come_first(upres, photo):
    upres("--quiet", "-s", "3", "photo.jpg")
    assert size(upres, "photo_x3.jpg") == (120, 90)


def test_scale_and_output_and_again(upres, photo):
    upres("photo.jpg", "-s", "3", "-o", "big.png")
    assert size(upres, "big.png") == (120, 90)
    before = (upres.folder / "big.png").read_bytes()
    again = upres("photo.jpg", "-s", "3", "-o", "big.png", code=1)
    assert again.stderr == "photo.jpg: big.png exists (--overwrite)\n"
    assert (upres.folder / "big.png").read_bytes() == before
    upres("photo.jpg", "-s", "2", "-o", "big.png", "--overwrite")
    assert size(upres, "big.png") == (80, 60)


def test_several_into_a_folder_that_is_made(upres):
    for name in ("a.png", "b.png"):
        save(upres.folder / name, gradient(8, 8))
    upres("a.png", "b.png", "-o", "out")
    assert upres.files() == ["a.png", "b.png", "out/a.png", "out/b.png"]


def test_several_into_one_file(upres):
    for name in ("a.png", "b.png"):
        save(upres.folder / name, gradient(8, 8))
    upres("a.png", "b.png", "-o", "big.png", code=2)
    assert upres.files() == ["a.png", "b.png"]


def test_a_folder_of_pictures(upres):
    scans = upres.folder / "scans"
    scans.mkdir()
    save(scans / "a.png", gradient(9, 7))
    save(scans / "b.jpg", gradient(7, 9))
    (scans / "notes.txt").write_text("not a picture")
    (scans / "deeper").mkdir()
    save(scans / "deeper" / "c.png", gradient(5, 5))
    (upres.folder / "x").mkdir()
    done = upres("scans/", "-o", "x/big/", "--format", "webp", "--verbose")
    assert [name for name in upres.files() if name.startswith("x/")] == ["x/big/a.webp", "x/big/b.webp"]
    assert (upres.folder / "x/big/a.webp").read_bytes()[8:12] == b"WEBP"
    assert "notes.txt" in done.stderr
    upres("scans/", "-o", "missing/big/", code=1)
    assert not (upres.folder / "missing").exists()


def test_a_pipe(upres):
    picture = save(upres.folder / "a.png", gradient(12, 10))
    upres("a.png", "-o", "file.png")
    piped = upres("-", data=picture.read_bytes())
    assert piped.stdout == (upres.folder / "file.png").read_bytes()
    assert upres("a.png", "-o", "-").stdout == piped.stdout
    jpeg = upres("-", "-o", "-", "--format", "jpg", data=picture.read_bytes())
    assert jpeg.stdout[:3] == b"\xff\xd8\xff"


def test_a_box(upres, photo):
    upres("photo.jpg", "-s", "150x100")
    assert size(upres, "photo_150x100.jpg") == (133, 100)


def test_a_model_file(upres, photo, data):
    upres("photo.jpg", "-m", str(data / "models" / "super-resolution-10.onnx"))
    assert size(upres, "photo_x3.jpg") == (120, 90)
    upres("photo.jpg", "-m", str(data / "models" / "super-resolution-10.onnx"), "-s", "2")
    assert size(upres, "photo_x2.jpg") == (80, 60)


def test_broken_and_ok(upres):
    (upres.folder / "broken.jpg").write_bytes(b"no picture")
    save(upres.folder / "ok.jpg", gradient(8, 8))
    done = upres("broken.jpg", "ok.jpg", "-o", "out", code=1)
    assert upres.files() == ["broken.jpg", "ok.jpg", "out/ok.jpg"]
    assert sum("broken.jpg" in line for line in done.stderr.splitlines()) == 1


def test_the_default_model_is_the_smallest_that_suffices(upres, photo):
    for scale, model in (("1.5", "espcn_x2"), ("2", "espcn_x2"), ("2.01", "espcn_x3"), ("3", "espcn_x3"), ("3.5", "espcn_x4"),
                         ("4", "espcn_x4")):
        events = upres.events("photo.jpg", "-s", scale)
        assert events[0]["event"] == "start" and events[0]["model"] == model


@pytest.mark.parametrize("arguments", [
    ["--fit", "inside"], ["--lossless"], ["--bit-depth", "8"], ["--skip-existing"], ["--recursive"], ["--lower", "on"],
    ["--passes"], ["-s", "0"], ["-s", "1"], ["-s", "nan"], ["-s", "-3"], ["-s", "65"], ["-s", "big"],
    ["-s", "0x0"], ["-s"], ["-s", "5"], ["-s", "4.01"], ["-s", "64"], ["--format", "bmp"], ["--quality", "0"],
    ["--quality", "101"], ["--tile", "0"], ["--threads", "0"], ["--precision", "fp64"], ["--kernel", "no_such"],
    ["--cache", "a", "--no-cache"], ["-o", "out.xyz"], ["-o", "out.gif"], ["-o", "out.png", "--format", "webp"], ["-x.png"],
    ["-m", "espcn_x2", "-s", "3"], ["-s", ""], ["-m", ""], ["--cache", ""], ["--kernel", ""], ["--device", ""], ["-o", ""],
    ["--cache="], ["--scale=", "-o", "x.png"], ["-o", "out.bmp", "--format", "png"], ["-o", "out.GIF", "--format", "jpg"],
    ["-s", "0x2"],
])
def test_wrong_usage(upres, photo, arguments):
    done = upres("photo.jpg", *arguments, code=2)
    assert upres.files() == ["photo.jpg"]
    assert len(done.stderr.splitlines()) == 1 and done.stdout == b""


@pytest.mark.parametrize("arguments", [[], ["--quiet"], ["lower", "x.spv"], ["a.png", "-", "-o", "out"]])
def test_wrong_usage_without_a_picture(upres, arguments):
    # `lower` is no subcommand yet, so it is an input that does not exist.
    done = upres.plain(*arguments, code=1 if arguments and arguments[0] == "lower" else 2)
    assert done.stderr and done.stdout == b""


def test_pipes_exclude_json(upres, photo):
    upres("photo.jpg", "-o", "-", "--json", code=2)
    upres("-", "--json", code=2, data=photo.read_bytes())


@pytest.mark.parametrize("subcommand", SUBCOMMANDS)
def test_help_with_examples(upres, subcommand):
    done = upres.plain(subcommand, "--help")
    text = done.stdout.decode()
    assert "Examples:" in text and f"upres {subcommand if subcommand != 'upscale' else 'photo.jpg'}" in text


def test_help_of_the_whole_names_all(upres):
    text = upres.plain("--help").stdout.decode()
    assert all(subcommand in text for subcommand in SUBCOMMANDS)


def test_version(upres):
    lines = upres.plain("--version").stdout.decode().splitlines()
    assert lines[0].startswith("upres 0.") and "(" in lines[0]
    assert any(line.startswith("slangc ") for line in lines)
    assert any(line == "SPIRV-Tools none" or line.startswith("SPIRV-Tools 20") for line in lines)
    assert any(line.startswith("oneDNN ") for line in lines)


def test_a_file_called_like_a_subcommand(upres):
    save(upres.folder / "picture.png", gradient(6, 6)).rename(upres.folder / "models")
    upres("./models")
    assert upres.files() == ["models", "models_x2.png"]


@pytest.mark.parametrize("arguments", [["upscale", "doctor"], ["p.png", "doctor"], ["--", "doctor"], ["-s", "2", "upscale", "doctor"]])
def test_only_the_first_word_is_a_subcommand(upres, arguments):
    for name in ("p.png", "q.png"):
        save(upres.folder / name, gradient(6, 6))
    (upres.folder / "q.png").rename(upres.folder / "doctor")
    upres("--device", "cpu", *arguments, device=None)
    assert "doctor_x2.png" in upres.files()
    assert ("p_x2.png" in upres.files()) == ("p.png" in arguments)


def test_names_of_subcommands_after_others(upres):
    save(upres.folder / "p.png", gradient(20, 20))
    save(upres.folder / "q.png", gradient(20, 20)).rename(upres.folder / "models")
    assert b"inf" in upres.plain("compare", "p.png", "models").stdout
    assert upres("inspect", "devices", code=4).stderr.startswith("devices: no such file")
    upres("p.png", "-o", "devices", "--format", "png")
    assert "devices" in upres.files()


def test_what_is_not_expected_is_told_in_order(upres):
    done = upres.plain("models", "--size", "1x1", "devices", code=2)
    assert "--size 1x1 devices" in done.stderr and len(done.stderr.splitlines()) == 1
