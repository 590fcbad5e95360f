"""Writes the fenced code blocks of a Markdown page that carry a file name into files, so that tests can compile them.

    python tools/extract_code.py README.md OUT_FOLDER

A block is taken when its opening fence says so: ```cpp file=scale.cpp. Blocks in lists lose the list's indentation.
"""

import re
import sys
import textwrap
from pathlib import Path

BLOCK = re.compile(r"^ *```\w+ file=(\S+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def main() -> int:
    page, folder = Path(sys.argv[1]), Path(sys.argv[2])
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    if not blocks:
        print(f"{page}: no code block names a file", file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in blocks:
        text = textwrap.dedent(text)
        target = folder / name
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
