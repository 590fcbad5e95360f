"""Pixels: grey stays grey, 16 bits stay 16, transparency, orientation, sizes, metadata."""

import shutil

import numpy as np
import pytest
from PIL import Image

from pictures import gradient, load, png_bytes, png_samples, save


@pytest.mark.parametrize("width, height", [(1, 1), (1, 7), (7, 1), (2, 2), (3, 5), (15, 15), (18, 18), (1, 300), (300, 1)])
@pytest.mark.parametrize("scale", ["2", "3", "4", "2.5"])
def test_any_size(upres, width, height, scale):
    save(upres.folder / "p.png", gradient(width, height))
    upres("p.png", "-s", scale, "-o", "q.png")
    factor = float(scale)
    assert load(upres.folder / "q.png").shape == (int(height * factor + 0.5), int(width * factor + 0.5), 3)


@pytest.mark.parametrize("name, width, height", [("grey.png", 33, 17), ("grey.jpg", 31, 19), ("grey.tif", 20, 20)])
def test_grey_stays_grey(upres, name, width, height):
    grey = gradient(width, height, 1)
    save(upres.folder / name, grey)
    upres(name, "-o", f"big_{name}")
    enlarged = load(upres.folder / f"big_{name}")
    assert enlarged.shape == (2 * height, 2 * width, 1)
    save(upres.folder / "rgb.png", np.repeat(load(upres.folder / name), 3, -1))
    upres("rgb.png", "-o", "big_rgb.png")
    color = load(upres.folder / "big_rgb.png").astype(int)
    assert (color == color[..., :1]).all(), "a grey picture never becomes coloured"
    if not name.endswith("jpg"):
        assert abs(color[..., :1] - enlarged).max() <= 1


def test_grey_through_a_colour_network(upres, data):
    save(upres.folder / "grey.png", gradient(20, 16, 1))
    upres("grey.png", "-m", str(data / "models" / "espcn_x2_rgb.onnx"))
    assert load(upres.folder / "grey_x2.png").shape == (32, 40, 1)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_sixteen_bits_stay_sixteen(upres, channels):
    ramp = np.linspace(2000, 60000, 256 * 4 * channels).reshape(4, 256, channels).astype(np.uint16)
    ramp[..., -1] = 65535 if channels in (2, 4) else ramp[..., -1]
    (upres.folder / "ramp.png").write_bytes(png_bytes(ramp))
    upres("ramp.png")
    enlarged = png_samples((upres.folder / "ramp_x2.png").read_bytes())
    assert enlarged.dtype == np.uint16 and enlarged.shape == (8, 512, channels)
    assert len(np.unique(enlarged[..., 0])) > 500
    upres("ramp.png", "-o", "ramp.tif")
    upres("ramp.png", "-o", "ramp.webp")
    assert load(upres.folder / "ramp.webp").dtype == np.uint8


def test_a_flat_picture_stays_flat(upres):
    for value in (0, 1, 128, 254, 255):
        save(upres.folder / "flat.png", np.full((20, 24, 3), value, np.uint8))
        upres("flat.png", "-o", "big.png", "--overwrite")
        # Zero padding shows at the edges, so only the inside is looked at.
        inside = load(upres.folder / "big.png")[16:-16, 16:-16].astype(int)
        assert abs(inside - value).max() <= 2


@pytest.mark.parametrize("channels", [2, 4])
def test_alpha_is_bicubic(upres, channels):
    picture = gradient(33, 17, channels)
    ramp = np.linspace(0, 255, 33).astype(np.uint8)
    picture[..., -1] = ramp
    save(upres.folder / "p.png", picture)
    upres("p.png")
    enlarged = load(upres.folder / "p_x2.png")
    assert enlarged.shape == (34, 66, channels)
    alpha = enlarged[..., -1].astype(int)
    assert (alpha == alpha[:1]).all() and (np.diff(alpha[0]) >= 0).all()
    # Keys' cubic with a = -0.5 reproduces straight lines at true pixel centres.
    expected = np.interp((np.arange(66) + 0.5) / 2 - 0.5, np.arange(33), np.linspace(0, 255, 33))
    assert abs(alpha[0] - expected)[4:-4].max() <= 1.5


def disc(size, alpha_of_inside, hidden):
    y, x = np.mgrid[0:size, 0:size]
    inside = (x - size / 2) ** 2 + (y - size / 2) ** 2 < (size / 3) ** 2
    picture = np.empty((size, size, 4), np.uint8)
    picture[...] = (*hidden, 0)
    picture[inside] = (255, 0, 0, alpha_of_inside)
    return picture


def test_hidden_colours_do_not_bleed(upres):
    save(upres.folder / "white.png", disc(32, 255, (255, 255, 255)))
    save(upres.folder / "red.png", disc(32, 255, (255, 0, 0)))
    for name in ("white", "red"):
        upres(f"{name}.png")
    over_black = [load(upres.folder / f"{name}_x2.png").astype(int) for name in ("white", "red")]
    white, red = (picture[..., :3] * picture[..., 3:] // 255 for picture in over_black)
    assert (white[..., 1:] <= red[..., 1:]).all()
    assert (over_black[0] == over_black[1]).all()


def test_a_symmetric_picture_stays_symmetric(upres):
    """Sample centres are aligned in network, colours and alpha: turning the picture turns the result."""
    y, x = np.mgrid[0:24, 0:32]
    ring = np.sin(np.hypot(x - 15.5, y - 11.5) / 2)
    picture = np.stack([128 + 100 * ring, 128 - 60 * ring, 128 + 30 * ring, 128 + 120 * ring], -1).astype(np.uint8)
    save(upres.folder / "p.png", picture)
    for scale in ("2", "3"):
        upres("p.png", "-s", scale, "-o", f"{scale}.png")
        enlarged = load(upres.folder / f"{scale}.png").astype(float)
        turned = enlarged[::-1, ::-1]
        # Chroma and alpha are exactly symmetric; a trained network only nearly.
        assert abs(enlarged[..., 3] - turned[..., 3]).max() <= 1
        assert np.sqrt(np.mean((enlarged - turned) ** 2)) < 4


@pytest.mark.parametrize("name, shape", [("basn2c16.png", (64, 64, 3)), ("basi6a16.png", (64, 64, 4)), ("basn3p04.png", (64, 64, 3)),
                                         ("basn0g01.png", (64, 64, 1)), ("basn4a08.png", (64, 64, 2)), ("basi2c08.png", (64, 64, 3)),
                                         ("tp1n3p08.png", (64, 64, 4)), ("s01n3p01.png", (2, 2, 3)), ("hopper_gray.jpg", (256, 256, 1)),
                                         ("icc_profile.png", None), ("transparent.png", None), ("lossy_alpha4.webp", None),
                                         ("small_1x1.webp", None), ("atari_8bit_font_revised.png", (18, 1998, 1)), ("cat.jpg", None),
                                         ("g03n2c08.png", (64, 64, 3))])
def test_odd_files(upres, data, name, shape):
    shutil.copy(data / "images" / "odd" / name, upres.folder / name)
    upres(name, "-o", f"big_{name}")
    enlarged = load(upres.folder / f"big_{name}")
    if shape:
        assert enlarged.shape == shape or enlarged.dtype != np.uint8
    else:
        with Image.open(upres.folder / name) as original:
            assert enlarged.shape[:2] == (2 * original.height, 2 * original.width)


def test_orientation_is_applied_once(upres, data):
    shutil.copy(data / "images" / "odd" / "hopper_orientation_6.jpg", upres.folder / "turned.jpg")
    upres("turned.jpg")
    with Image.open(upres.folder / "turned.jpg") as original, Image.open(upres.folder / "turned_x2.jpg") as enlarged:
        assert enlarged.size == (2 * original.height, 2 * original.width)
        assert enlarged.getexif().get(0x0112, 1) == 1


@pytest.mark.parametrize("extension", ["jpg", "png", "webp", "tif"])
def test_colour_profile_is_passed_on(upres, data, extension):
    with Image.open(data / "images" / "odd" / "cat.jpg") as original:
        profile, exif = original.info["icc_profile"], original.info["exif"]
    upres(str(data / "images" / "odd" / "cat.jpg"), "-o", f"cat.{extension}")
    with Image.open(upres.folder / f"cat.{extension}") as enlarged:
        assert enlarged.info["icc_profile"] == profile
        if extension != "tif":
            assert enlarged.getexif().get_ifd(0x8769) is not None and len(exif) > 0


def test_a_large_picture_by_tiles(upres):
    """Larger than one window of the CPU device, so several are joined."""
    save(upres.folder / "large.png", gradient(2300, 40, 1))
    upres("large.png", "-o", "large.tif")
    part = gradient(2300, 40, 1)[:, 1000:1300]
    save(upres.folder / "part.png", part)
    upres("part.png", "-o", "part.tif")
    whole, alone = load(upres.folder / "large.tif"), load(upres.folder / "part.tif")
    assert (whole[:, 2000 + 32:2600 - 32] == alone[:, 32:-32]).all()
