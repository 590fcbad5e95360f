"""Runs every `upres` line of the README's sh blocks in a folder with the files they name.

    python run_commands.py README.md path/to/upres
"""

import re
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def png(width: int, height: int) -> bytes:
    """A small RGB picture, made here so that the test needs no package."""
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = b"".join(b"\0" + bytes((x * 7 + y * 3 + c * 50) % 256 for x in range(width) for c in range(3))
                    for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def command_lines(page: Path) -> list[str]:
    lines = [line.split("#")[0].strip() for block in BLOCK.findall(page.read_text(encoding="utf-8"))
             for line in block.splitlines()]
    return [line for line in lines if line.startswith("upres ")]


def main() -> int:
    page, upres = Path(sys.argv[1]), str(Path(sys.argv[2]).resolve())
    lines = command_lines(page)
    if not lines:
        print("no upres line in the page", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "scans").mkdir()
        (folder / "photo.png").write_bytes(png(960, 540))
        for file in ("scans/a.png", "scans/b.png"):
            (folder / file).write_bytes(png(40, 30))
        for line in lines:
            print(line, flush=True)
            done = subprocess.run(["bash", "-c", line.replace("upres ", f"'{upres}' ", 1)], cwd=folder, check=False)
            if done.returncode != 0:
                print(f"exit code {done.returncode}: {line}", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
