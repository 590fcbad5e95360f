#!/usr/bin/env python3
"""What a precision costs in quality: luma PSNR on Set5 and Set14 against fp32, for every embedded factor.

    bench/precision_quality.py --upres build/release/bin/upres --data FOLDER [--precision fp16 --device llvmpipe] [--json]

FOLDER holds images/Set5 and images/Set14 with GT/*.png and LR_x2, LR_x3, LR_x4. fp32 is computed on the CPU. PSNR as
`upres compare` measures it, the border of FACTOR pixels left out, the mean over the pictures.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

FACTORS = (2, 3, 4)
SETS = ("Set5", "Set14")


def run(*arguments: object) -> bytes:
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(argument) for argument in arguments)}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def cropped(image: Path, factor: int, target: Path) -> None:
    """Whole multiples of the factor, from the upper left corner: what the small pictures were made from."""
    from PIL import Image

    with Image.open(image) as picture:
        width, height = (side - side % factor for side in picture.size)
        picture.convert("RGB").crop((0, 0, width, height)).save(target)


def psnrs(upres: Path, folder: Path, factor: int, options: list[str]) -> dict[str, float]:
    """By name of the picture."""
    values = {}
    with tempfile.TemporaryDirectory() as scratch:
        inputs = sorted((folder / f"LR_x{factor}").glob("*.png"))
        run(upres, *inputs, "-s", factor, "-o", f"{scratch}/out", "--no-tune", *options)
        for small in inputs:
            original = Path(scratch) / "original.png"
            cropped(folder / "GT" / small.name, factor, original)
            line = run(upres, "compare", original, f"{scratch}/out/{small.name}", "--shave", factor, "--json")
            values[small.stem] = json.loads(line)["psnr_luma"]
    return values


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upres", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--precision", default="fp16")
    parser.add_argument("--device", default="llvmpipe")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for name in SETS:
        for factor in FACTORS:
            folder = options.data / "images" / name
            reference = psnrs(options.upres, folder, factor, ["--device", "cpu", "--precision", "fp32"])
            reduced = psnrs(options.upres, folder, factor, ["--device", options.device, "--precision", options.precision])
            losses = [reference[picture] - reduced[picture] for picture in reference]
            result = {"set": name, "factor": factor, "pictures": len(reference), "precision": options.precision, "device": options.device,
                      "psnr_fp32_db": round(sum(reference.values()) / len(reference), 4),
                      "psnr_db": round(sum(reduced.values()) / len(reduced), 4), "largest_loss_db": round(max(losses), 4)}
            print(json.dumps(result) if options.json else
                  "{set:<6} x{factor} {pictures:>3} pictures  fp32 {psnr_fp32_db:.4f} dB  {precision} {psnr_db:.4f} dB  largest loss {largest_loss_db:.4f} dB"
                  .format(**result), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
