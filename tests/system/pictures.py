"""Pictures for the tests, made from formulas, and their files."""

import struct
import zlib
from pathlib import Path

import numpy as np
from PIL import Image


def gradient(width: int, height: int, channels: int = 3) -> np.ndarray:
    """Smooth, with structure in every channel: uint8 [height, width, channels]."""
    y, x = np.mgrid[0:height, 0:width]
    planes = [127 + 90 * np.sin(x / (5 + c) + c) * np.cos(y / (7 - c)) + 20 * (x + y) / (width + height)
              for c in range(channels)]
    return np.clip(np.stack(planes, -1), 0, 255).astype(np.uint8)


def save(path: Path, array: np.ndarray, **options) -> Path:
    """By extension; one channel is grey, two grey with alpha, four RGB with alpha."""
    squeezed = array[..., 0] if array.shape[-1] == 1 else array
    Image.fromarray(squeezed).save(path, **options)
    return path


def load(path: Path) -> np.ndarray:
    """As stored: [height, width, channels]."""
    with Image.open(path) as picture:
        array = np.asarray(picture)
    return array[..., None] if array.ndim == 2 else array


PNG_COLOR_TYPE = {1: 0, 2: 4, 3: 2, 4: 6}


def png_bytes(array: np.ndarray) -> bytes:
    """PNG of 8 or 16 bits, written by hand: Pillow knows no 16-bit colours."""
    height, width, channels = array.shape
    depth = array.dtype.itemsize * 8
    rows = array.astype(f">u{array.dtype.itemsize}").reshape(height, -1)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, depth, PNG_COLOR_TYPE[channels], 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


def png_samples(data: bytes) -> np.ndarray:
    """Samples of a PNG of 8 or 16 bits, not interlaced, undone by hand."""
    at, body, header = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", content)
        if kind == b"IDAT":
            body += content
        at += 12 + length
    width, height, depth, color_type, _, _, interlaced = header
    assert not interlaced
    channels = {value: key for key, value in PNG_COLOR_TYPE.items()}[color_type]
    pixel = channels * depth // 8
    raw = np.frombuffer(zlib.decompress(body), np.uint8).reshape(height, 1 + width * pixel)
    previous = np.zeros(width * pixel, np.uint8)
    rows = []
    for line in raw:
        previous = unfilter(line[0], line[1:], previous, pixel)
        rows.append(previous)
    return np.stack(rows).reshape(-1).view(f">u{depth // 8}").reshape(height, width, channels).astype(f"u{depth // 8}")


def unfilter(kind: int, line: np.ndarray, above: np.ndarray, pixel: int) -> np.ndarray:
    """PNG specification, 9.2."""
    out = line.astype(int)
    for i in range(len(line)):
        a = out[i - pixel] if i >= pixel else 0
        b = int(above[i])
        c = int(above[i - pixel]) if i >= pixel else 0
        nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
        out[i] = (out[i] + (0, a, b, (a + b) // 2, nearest)[kind]) & 255
    return out.astype(np.uint8)
