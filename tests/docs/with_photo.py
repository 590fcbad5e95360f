"""Runs a program of the README in a folder with a photo.png, and checks that it wrote a picture.

    python with_photo.py PROGRAM WRITTEN.png
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from run_commands import png


def main() -> int:
    program, written = str(Path(sys.argv[1]).resolve()), sys.argv[2]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "photo.png").write_bytes(png(40, 30))
        done = subprocess.run([program], cwd=folder, check=False)
        if done.returncode != 0:
            return done.returncode
        size = [int.from_bytes((folder / written).read_bytes()[at:at + 4], "big") for at in (16, 20)]
        print(f"{written} has {size[0]}x{size[1]} pixels")
        return 0 if size == [80, 60] else 1


if __name__ == "__main__":
    sys.exit(main())
