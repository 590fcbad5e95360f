"""Enlarges a photograph with the embedded model and says how good the result is.

    python tools/demo.py --upres build/release/bin/upres

The photograph is the raccoon of scipy's package (public domain, public-domain-image.com), fetched as a package once; no network of
upres was trained with it. Quality is measured by enlarging a reduced copy back to the original's size, beside bicubic
enlargement of the same copy.
"""

import argparse
import bz2
import json
import subprocess
import sys
import zipfile
from pathlib import Path

from PIL import Image

PACKAGE = "scipy==1.9.3"
PHOTOGRAPH = "scipy/misc/face.dat"  # bzip2 of 768 rows of 1024 RGB pixels
PHOTOGRAPH_SIZE = (1024, 768)
FACTOR = 2


def fetch_photograph(folder: Path) -> Path:
    """The photograph, unpacked from its package; fetched only the first time."""
    photograph = folder / "raccoon.png"
    if photograph.exists():
        return photograph
    print(f"fetching the package {PACKAGE} for its photograph of a raccoon (public domain)", flush=True)
    # The platform is named because only the file inside matters, not whether the package would run here.
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                    "--only-binary=:all:", "--python-version", "3.11", "--platform", "manylinux2014_x86_64",
                    "--dest", str(folder), PACKAGE], check=True)
    wheel = next(folder.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        pixels = bz2.decompress(archive.read(PHOTOGRAPH))
    Image.frombytes("RGB", PHOTOGRAPH_SIZE, pixels).save(photograph)
    wheel.unlink()
    return photograph


def reduce(photograph: Path, folder: Path) -> tuple[Path, Path]:
    """The photograph cut to a multiple of the factor, and that reduced by the factor (bicubic with antialiasing)."""
    with Image.open(photograph) as picture:
        rgb = picture.convert("RGB")
    width, height = (side - side % FACTOR for side in rgb.size)
    original = rgb.crop((0, 0, width, height))
    original.save(folder / "original.png")
    original.resize((width // FACTOR, height // FACTOR), Image.Resampling.BICUBIC).save(folder / "reduced.png")
    return folder / "original.png", folder / "reduced.png"


def upscale(upres: str, source: Path, target: Path) -> dict[str, dict]:
    """Runs the command; its JSON events by name."""
    done = subprocess.run([upres, str(source), "-o", str(target), "-s", str(FACTOR), "--overwrite", "--json"],
                          check=True, stdout=subprocess.PIPE, text=True)
    return {event["event"]: event for event in map(json.loads, done.stdout.splitlines())}


def psnr_luma(upres: str, first: Path, second: Path) -> float:
    done = subprocess.run([upres, "compare", str(first), str(second), "--shave", str(FACTOR), "--json"], check=True,
                          stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[0])["psnr_luma"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--upres", required=True, help="the command to run")
    parser.add_argument("--folder", type=Path, default=Path("build/demo"))
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)

    photograph = fetch_photograph(folder)
    result = folder / f"raccoon_x{FACTOR}.png"
    events = upscale(arguments.upres, photograph, result)
    start, done = events["start"], events["done"]
    print(f"\nenlarged {photograph} -> {result} ({done['width']}x{done['height']})")
    print(f"ran on {start['device']}, model {start['model']}, {start['precision']}, in {done['seconds']:.2f} s")

    original, reduced = reduce(photograph, folder)
    upscale(arguments.upres, reduced, folder / "restored.png")
    with Image.open(reduced) as small, Image.open(original) as large:
        small.resize(large.size, Image.Resampling.BICUBIC).save(folder / "bicubic.png")
    ours = psnr_luma(arguments.upres, original, folder / "restored.png")
    bicubic = psnr_luma(arguments.upres, original, folder / "bicubic.png")
    print(f"from a copy reduced {FACTOR} times: {ours:.2f} dB PSNR (luma), bicubic {bicubic:.2f} dB\n")


if __name__ == "__main__":
    main()
