"""Measures models on Set5 and Set14 the way upres uses them and the papers measure them.

A low-resolution RGB picture is split into full-range luma and chroma; the network enlarges the luma, bicubic
interpolation the chroma; the RGB picture is rounded to 8 bits. PSNR is that of the limited-range luma of this picture,
with a border of as many pixels as the scale left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime

from pictures import chroma, crop_to_multiple, enlarge_plane, luma, psnr, read_rgb, rgb_from_planes

Enlarge = Callable[[np.ndarray, int], np.ndarray]  # luma 0..255 and the scale, to luma 0..255 of the new size
SETS = ("Set5", "Set14")
SCALES = (2, 3, 4)


def bicubic(plane: np.ndarray, scale: int) -> np.ndarray:
    return enlarge_plane(plane, scale)


def network(model: Path, threads: int) -> Enlarge:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name

    def enlarge(plane: np.ndarray, scale: int) -> np.ndarray:
        result = session.run(None, {name: (plane / 255.0).astype(np.float32)[None, None]})[0]
        return result[0, 0].astype(float) * 255.0

    return enlarge


def enlarge_rgb(low: np.ndarray, scale: int, enlarge: Enlarge) -> np.ndarray:
    """The whole way from 8-bit RGB to 8-bit RGB."""
    cb, cr = (enlarge_plane(plane, scale) for plane in chroma(low))
    return rgb_from_planes(enlarge(luma(low), scale), cb, cr)


def mean_psnr(folder: Path, scale: int, enlarge: Enlarge, verbose: bool) -> float:
    values = []
    for file in sorted((folder / "GT").glob("*.png")):
        truth = crop_to_multiple(read_rgb(file), scale)
        low = read_rgb(folder / f"LR_x{scale}" / file.name)
        values.append(psnr(enlarge_rgb(low, scale, enlarge), truth, scale))
        if verbose:
            print(f"  {folder.name} x{scale} {file.stem:12s} {values[-1]:.2f}")
    return float(np.mean(values))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with images/Set5 and images/Set14")
    parser.add_argument("--models", type=Path, default=Path("models"), help="folder with espcn_x2.onnx and so on")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="print each picture too")
    args = parser.parse_args()
    print("| set | scale | bicubic | network |\n|---|---|---|---|")
    for name in SETS:
        for scale in SCALES:
            folder = args.data / "images" / name
            trained = network(args.models / f"espcn_x{scale}.onnx", args.threads)
            values = [mean_psnr(folder, scale, way, args.verbose) for way in (bicubic, trained)]
            print(f"| {name} | x{scale} | {values[0]:.2f} | {values[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
