"""Compares #include lines with the table of who may know whom (docs/architecture.md).

    python tools/check_deps.py ROOT

Prints each forbidden include and exits 1 if there is any.
"""

import re
import sys
from pathlib import Path

# target -> folders of src/ whose headers it may include; every target may use base and its own.
ALLOWED: dict[str, set[str]] = {
    "base": set(),
    "image": set(),
    "graph": set(),
    "spirv": set(),
    "onnx": {"graph"},
    "vkc": {"spirv"},
    "kernels": {"graph"},
    "devicedb": {"kernels", "graph"},
    "plan": {"graph", "kernels", "devicedb"},
    "session": {"graph", "kernels"},
    "session/gpu": {"session", "plan", "graph", "kernels", "spirv", "vkc"},
    "session/cpu": {"session", "graph", "kernels", "plan"},
    "tune": {"session", "session/gpu", "vkc", "plan", "kernels", "devicedb", "graph"},
    "upscale": {"image", "onnx", "graph", "spirv", "vkc", "kernels", "devicedb", "plan", "session", "session/gpu",
                "session/cpu", "tune"},
}
ALLOWED["upscale/api"] = ALLOWED["upscale"] | {"upscale"}
# The libraries below upres: they include nothing of it, not even base.
STANDS_ALONE = {"vkc", "spirv"}
# Headers of the systems that a target wraps: allowed only there.
FOREIGN = {
    r"vips/": {"image"},
    r"onnx/|google/protobuf|.*\.pb\.h": {"onnx"},
    r"vulkan/": {"vkc"},
    r"dnnl|oneapi/dnnl": {"session/cpu"},
    r"hwy/": {"session/cpu"},
    r"spirv-tools/": {"spirv"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def target_of(path: str) -> str:
    """The target that a path under src/ belongs to."""
    parts = path.split("/")
    if "/".join(parts[:2]) in ALLOWED and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0]


def quoted_violation(target: str, header: str) -> bool:
    other = target_of(header)
    if other == target or other not in ALLOWED:
        return False
    if other == "base":
        return target in STANDS_ALONE
    return other not in ALLOWED[target]


def angled_violation(target: str, header: str) -> bool:
    if header.startswith("vkc/"):
        return target != "vkc" and "vkc" not in ALLOWED[target]
    if header.startswith("upres/"):  # base passes the public types on
        return target not in {"base", "upscale", "upscale/api"}
    return any(re.match(pattern, header) and target not in targets for pattern, targets in FOREIGN.items())


def violations(root: Path) -> list[str]:
    found = []
    for file in sorted((root / "src").rglob("*")):
        if file.suffix not in {".h", ".cpp"}:
            continue
        target = target_of(str(file.relative_to(root / "src")))
        if target not in ALLOWED:
            found.append(f"{file}: the folder {target} is not in the table")
            continue
        for quoted, angled in INCLUDE.findall(file.read_text(encoding="utf-8")):
            if quoted_violation(target, quoted) or angled_violation(target, angled):
                found.append(f"{file}: {target} must not include {quoted or angled}")
    for header in sorted((root / "include/vkc").glob("*.h")):
        for quoted, angled in INCLUDE.findall(header.read_text(encoding="utf-8")):
            if quoted or angled.startswith("upres/"):
                found.append(f"{header}: public headers of vkc include nothing of upres ({quoted or angled})")
    for header in sorted((root / "include/upres").glob("*.h")):
        for quoted, angled in INCLUDE.findall(header.read_text(encoding="utf-8")):
            if quoted or angled.startswith("vkc/"):
                found.append(f"{header}: public headers include nothing of src/ and vkc ({quoted or angled})")
    return found


def main() -> int:
    found = violations(Path(sys.argv[1]))
    print("\n".join(found) if found else "include rules: all kept")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
