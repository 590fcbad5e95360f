"""Makes the README's picture: part of a photograph reduced to half its size, enlarged bicubically and by upres.

    python tools/before_after.py --upres build/release/bin/upres --output docs/images/before_after.png
"""

import argparse
from pathlib import Path

import demo
from PIL import Image, ImageDraw

CROP = (480, 230, 800, 500)  # of the original: the eyes and the nose


def part(path: Path) -> Image.Image:
    with Image.open(path) as picture:
        return picture.convert("RGB").crop(CROP)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--upres", required=True)
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    folder = Path("build/demo")
    folder.mkdir(parents=True, exist_ok=True)
    original, reduced = demo.reduce(demo.fetch_photograph(folder), folder)
    demo.upscale(arguments.upres, reduced, folder / "restored.png")
    with Image.open(reduced) as small, Image.open(original) as large:
        small.resize(large.size, Image.Resampling.BICUBIC).save(folder / "bicubic.png")
    left, right = part(folder / "bicubic.png"), part(folder / "restored.png")
    sheet = Image.new("RGB", (left.width * 2 + 8, left.height), "white")
    sheet.paste(left, (0, 0))
    sheet.paste(right, (left.width + 8, 0))
    draw = ImageDraw.Draw(sheet)
    for x, label in ((0, "bicubic"), (left.width + 8, "upres")):
        draw.rectangle((x, 0, x + 52, 14), fill="black")
        draw.text((x + 4, 2), label, fill="white")
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(arguments.output, optimize=True)


if __name__ == "__main__":
    main()
