"""Turns model files into C++ data.

    python embed.py --out embedded_models.cpp --quality quality.json espcn_x2.onnx ...
"""

import argparse
import json
from pathlib import Path

SOURCE = """// Made by models/embed.py; do not edit.
#include "embedded_models.h"

#include <array>

namespace upres::models {{
namespace {{
{arrays}
}}  // namespace

std::span<const EmbeddedModel> all() {{
{body}
}}

}}  // namespace upres::models
"""
LIST = """  static const std::array<EmbeddedModel, {count}> models = {{{{
{rows}
  }}}};
  return models;"""
ARRAY = "alignas(16) constexpr unsigned char k{index}[] = {{\n{values}\n}};"
ROW = '      {{{name}, std::as_bytes(std::span(k{index})), {quality}}},'
BYTES_PER_LINE = 32


def array_text(index: int, data: bytes) -> str:
    lines = (",".join(map(str, data[at:at + BYTES_PER_LINE])) for at in range(0, len(data), BYTES_PER_LINE))
    return ARRAY.format(index=index, values=",\n".join(lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--quality", type=Path, required=True)
    parser.add_argument("models", type=Path, nargs="*")
    arguments = parser.parse_args()

    quality = json.loads(arguments.quality.read_text(encoding="utf-8"))
    models = sorted(arguments.models, key=lambda path: path.stem)
    rows = [ROW.format(name=json.dumps(path.stem), index=index, quality=json.dumps(json.dumps(quality.get(path.stem, {}))))
            for index, path in enumerate(models)]
    body = LIST.format(count=len(rows), rows="\n".join(rows)) if rows else "  return {};"
    arrays = "\n".join(array_text(index, path.read_bytes()) for index, path in enumerate(models))
    arguments.out.write_text(SOURCE.format(arrays=arrays, body=body), encoding="utf-8")


if __name__ == "__main__":
    main()
