"""Pictures as numpy arrays: reading, colour, bicubic resizing and PSNR.

Everything that training and evaluation must agree on is here, so that a network is trained on exactly the kind of input
it meets in use. Arrays are height x width (x 3), 8-bit samples, unless a name says otherwise.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np
from PIL import Image

# Full-range BT.601, as JPEG files use it: this luma is what the networks see, scaled to [0, 1].
LUMA_WEIGHTS = np.array([0.299, 0.587, 0.114])
CB_PER_BLUE = 0.5 / (1.0 - LUMA_WEIGHTS[2])
CR_PER_RED = 0.5 / (1.0 - LUMA_WEIGHTS[0])
# Papers measure luma on the 16..235 scale, which shrinks every error by this factor but keeps the peak at 255.
LIMITED_RANGE = 219.0 / 255.0


def read_rgb(source: Path | BinaryIO) -> np.ndarray:
    """Reads a picture as height x width x 3; a grey one gets three equal channels."""
    with Image.open(source) as picture:
        return np.asarray(picture.convert("RGB"))


def round_to_8_bit(samples: np.ndarray) -> np.ndarray:
    return np.clip(np.floor(samples + 0.5), 0, 255).astype(np.uint8)


def crop_to_multiple(picture: np.ndarray, scale: int) -> np.ndarray:
    """Drops rows at the bottom and columns at the right, as all super-resolution papers do."""
    height, width = (n - n % scale for n in picture.shape[:2])
    return picture[:height, :width]


def cubic(x: np.ndarray) -> np.ndarray:
    """Keys' cubic kernel with a = -0.5."""
    x = np.abs(x)
    near = (1.5 * x - 2.5) * x * x + 1.0
    far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))


def resize_matrix(size_in: int, size_out: int) -> np.ndarray:
    """The size_out x size_in matrix that resizes one line.

    When shrinking, the kernel is widened by the factor (antialiasing). Samples beyond the ends repeat the last one.
    """
    step = size_in / size_out
    stretch = max(step, 1.0)
    centres = (np.arange(size_out) + 0.5) * step - 0.5
    taps = int(np.ceil(2 * stretch)) + 1
    columns = np.floor(centres)[:, None].astype(int) + np.arange(-taps, taps + 1)
    weights = cubic((columns - centres[:, None]) / stretch)
    weights /= weights.sum(axis=1, keepdims=True)
    matrix = np.zeros((size_out, size_in))
    rows = np.repeat(np.arange(size_out), columns.shape[1])
    np.add.at(matrix, (rows, np.clip(columns, 0, size_in - 1).ravel()), weights.ravel())
    return matrix


def resize(picture: np.ndarray, height: int, width: int) -> np.ndarray:
    """Bicubic resizing of an 8-bit picture, rounded to 8 bits after each of the two passes, height first."""
    rows = resize_matrix(picture.shape[0], height)
    columns = resize_matrix(picture.shape[1], width)
    flat = round_to_8_bit(np.einsum("hw...,vh->vw...", picture.astype(float), rows, optimize=True))
    return round_to_8_bit(np.einsum("hw...,vw->hv...", flat.astype(float), columns, optimize=True))


def shrink(picture: np.ndarray, scale: int) -> np.ndarray:
    """The low-resolution picture that the test sets use: bicubic, antialiased."""
    picture = crop_to_multiple(picture, scale)
    return resize(picture, picture.shape[0] // scale, picture.shape[1] // scale)


def enlarge_plane(plane: np.ndarray, scale: int) -> np.ndarray:
    """Bicubic enlargement of one plane of real numbers, not rounded."""
    rows = resize_matrix(plane.shape[0], plane.shape[0] * scale)
    columns = resize_matrix(plane.shape[1], plane.shape[1] * scale)
    return rows @ plane @ columns.T


def luma(rgb: np.ndarray) -> np.ndarray:
    """Full-range luma, 0..255, not rounded."""
    return rgb @ LUMA_WEIGHTS


def chroma(rgb: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cb and Cr around zero, -127.5..127.5, not rounded."""
    y = luma(rgb)
    return (rgb[..., 2] - y) * CB_PER_BLUE, (rgb[..., 0] - y) * CR_PER_RED


def rgb_from_planes(y: np.ndarray, cb: np.ndarray, cr: np.ndarray) -> np.ndarray:
    """Back to 8-bit RGB; inverse of luma() and chroma()."""
    red = y + cr / CR_PER_RED
    blue = y + cb / CB_PER_BLUE
    green = (y - LUMA_WEIGHTS[0] * red - LUMA_WEIGHTS[2] * blue) / LUMA_WEIGHTS[1]
    return round_to_8_bit(np.stack([red, green, blue], axis=-1))


def psnr(result: np.ndarray, truth: np.ndarray, border: int) -> float:
    """PSNR in dB of the limited-range luma of two 8-bit RGB pictures, without a border of that many pixels."""
    error = (luma(result) - luma(truth)) * LIMITED_RANGE
    error = error[border:-border, border:-border]
    return float(10 * np.log10(255.0**2 / np.mean(error**2)))
