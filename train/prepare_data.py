"""Gathers the training pictures into one tar file of PNG and JPEG files.

The research sets T91 and BSDS500 go in unchanged; photographs out of Debian packages and out of scikit-image's wheel
are made smaller first, because at full size they are softer than the pictures that the networks are measured on. Every
20th picture of BSDS500 is held out for validation; Set5 goes in for progress reports alone.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from pictures import read_rgb, resize

LONG_EDGE_PX = 900
VALIDATION_EVERY = 20
# The picture that Set5's "woman" was made from: no network is measured on what it has seen.
EXCLUDED = {"302003.jpg"}

# Looked at one by one: photographs with real detail, and a few drawings with sharp edges. Other files of these packages
# are gradients, renderings or the same picture in another size.
PHOTOGRAPHS: dict[str, tuple[str, ...]] = {
    "lomiri-wallpapers-16.04": (
        "Bridge_by_", "Dragonfly_by_", "Picture_0B_by_", "Picture_1A_by_", "Wine_by_", "aitzgorri_by_", "free_by_",
        "friends_by_", "greentock_by_", "life_by_", "picosdeeuropa_by_", "seeding_by_", "sunset_by_"),
    "lomiri-wallpapers-20.04": ("Kleiber_by_",),
    "mate-backgrounds": (
        "nature/Blinds", "nature/Dune", "nature/FreshFlower", "nature/Garden", "nature/GreenMeadow", "nature/LadyBird",
        "nature/RainDrops", "nature/Storm", "nature/TwoWings", "nature/Wood", "nature/YellowFlower"),
    "plasma-workspace-wallpapers": (
        "FallenLeaf/contents/images/2560", "Path/contents/images/2560", "EveningGlow/contents/images/2560",
        "Grey/contents/images/2560", "Kite/contents/images/2560", "ColorfulCups/contents/images/2560",
        "OneStandsOut/contents/images/2560", "ColdRipple/contents/images/2560", "BytheWater/contents/images/2560",
        "SafeLanding/contents/images/5120", "Honeywave/contents/images/5120", "Autumn/contents/images/2560"),
    "scikit_image": (
        "data/astronaut.png", "data/brick.png", "data/camera.png", "data/chelsea.png", "data/coffee.png",
        "data/grass.png", "data/gravel.png", "data/rocket.jpg"),
}


def download(packages: Path) -> None:
    """Fetches the packages with the photographs into a folder, with the system's own package tools."""
    packages.mkdir(parents=True, exist_ok=True)
    debian = [name for name in PHOTOGRAPHS if name != "scikit_image"]
    subprocess.run(["apt-get", "download", *debian], cwd=packages, check=True)
    subprocess.run(["pip", "download", "--no-deps", "-d", str(packages), "scikit-image"], check=True)


def unpack(package: Path, folder: Path) -> None:
    if package.suffix == ".deb":
        subprocess.run(["dpkg", "-x", str(package), str(folder)], check=True)
    else:
        zipfile.ZipFile(package).extractall(folder)


def photographs(packages: Path) -> Iterator[tuple[str, np.ndarray]]:
    """Yields (name, picture) for each photograph of the list, made smaller."""
    for name, patterns in PHOTOGRAPHS.items():
        with tempfile.TemporaryDirectory() as temporary:
            for package in packages.glob(f"{name}[_-]*"):
                unpack(package, Path(temporary))
            files = sorted(p for p in Path(temporary).rglob("*") if p.is_file() and not p.is_symlink())
            for pattern in patterns:
                file = next((f for f in files if pattern in f.as_posix()), None)
                if file is None:
                    raise FileNotFoundError(f"{pattern} is not in {name}*, looked for in {packages}")
                title = pattern.split("/")[0] if "contents" in pattern else file.stem
                yield f"{name}_{title}", made_smaller(read_rgb(file))


def made_smaller(picture: np.ndarray) -> np.ndarray:
    """Halves at least, so that what the camera blurred becomes sharp; small pictures stay as they are."""
    longest = max(picture.shape[:2])
    if longest <= LONG_EDGE_PX:
        return picture
    factor = max(2.0, longest / LONG_EDGE_PX)
    return resize(picture, round(picture.shape[0] / factor), round(picture.shape[1] / factor))


def png(picture: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, format="png", optimize=True)
    return buffer.getvalue()


def research_set(archive: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(archive) as tar:
        for member in sorted((m for m in tar if m.isfile()), key=lambda m: m.name):
            yield Path(member.name).name, tar.extractfile(member).read()


def add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    tar.addfile(entry, io.BytesIO(content))


def pack(data: Path, packages: Path, output: Path) -> None:
    """Writes t91/, bsds/, validation/, photographs/ and set5/ into the tar file."""
    output.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(output, "w") as tar:
        for name, content in research_set(data / "train" / "T91.tar"):
            add(tar, f"t91/{name}", content)
        for number, (name, content) in enumerate(research_set(data / "train" / "BSDS500_train.tar")):
            folder = "validation" if number % VALIDATION_EVERY == 0 else "bsds"
            if name not in EXCLUDED:
                add(tar, f"{folder}/{name}", content)
        for name, picture in photographs(packages):
            add(tar, f"photographs/{name}.png", png(picture))
        for file in sorted((data / "images" / "Set5" / "GT").glob("*.png")):
            add(tar, f"set5/{file.name}", file.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True,
                        help="folder with train/T91.tar, train/BSDS500_train.tar and images/Set5/GT")
    parser.add_argument("--packages", type=Path, required=True, help="folder with the .deb and .whl files")
    parser.add_argument("--download", action="store_true", help="fetch the packages into that folder first")
    parser.add_argument("--output", type=Path, default=Path(".train/pictures.tar"))
    args = parser.parse_args()
    if args.download:
        download(args.packages)
    pack(args.data, args.packages, args.output)
    print(f"{args.output}: {args.output.stat().st_size / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
