"""What foreign projects do with an installed copy: configure, build, run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "docs"))
from run_commands import png  # noqa: E402

HERE = Path(__file__).parent
SOURCE, CODE = (Path(os.environ[name]) for name in ("UPRES_SOURCE", "UPRES_README_CODE"))
CMAKE, CC, CXX = (os.environ[name] for name in ("UPRES_CMAKE", "CC", "CXX"))
LAVAPIPE = sorted(Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json"))
ENVIRONMENT = os.environ | ({"VK_ICD_FILENAMES": str(LAVAPIPE[0]), "VK_DRIVER_FILES": str(LAVAPIPE[0])} if LAVAPIPE else {})


def run(*command, code=0, **options):
    options["env"] = ENVIRONMENT | options.pop("env", {})
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == code, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def library_folder(root: Path) -> Path:
    return next(root.glob("**/pkgconfig")).parent


def at_run_time(root: Path) -> dict:
    return {"LD_LIBRARY_PATH": str(library_folder(root))}


def check_enlarge(program: Path, folder: Path, written: str, **options):
    """Runs a program of the README beside a photograph."""
    (folder / "photo.png").write_bytes(png(40, 30))
    done = run(program, cwd=folder, **options)
    assert (folder / written).read_bytes()[16:24] == (80).to_bytes(4, "big") + (60).to_bytes(4, "big")
    return done


def configure(source: Path, build: Path, *definitions):
    done = run(CMAKE, "--fresh", "-S", source, "-B", build, "-G", "Ninja", *(f"-D{each}" for each in definitions))
    assert "Warning" not in done.stderr, done.stderr


def as_project(page: Path, folder: Path) -> Path:
    folder.mkdir()
    shutil.copy(page, folder / "CMakeLists.txt")
    return folder


def check_find_package(prefix: Path, folder: Path):
    """Builds and runs the README's project, in C++ and C, against a copy installed in `prefix`."""
    project = folder / "enlarge"
    project.mkdir()
    for name in ("CMakeLists.txt", "enlarge.cpp", "enlarge_c.c"):
        shutil.copy(CODE / name, project)
    configure(project, folder / "build", f"CMAKE_PREFIX_PATH={prefix}")
    run(CMAKE, "--build", folder / "build")
    assert "200x160" in check_enlarge(folder / "build/enlarge", folder, "photo_large.png").stdout
    check_enlarge(folder / "build/enlarge_c", folder, "photo_c.png")


def check_pkg_config(root: Path, folder: Path):
    """The same with pkg-config."""
    environment = {"PKG_CONFIG_PATH": str(library_folder(root) / "pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "upres", env=environment).stdout.split()
    run(CXX, "-std=c++20", CODE / "enlarge.cpp", *flags, "-o", folder / "enlarge")
    check_enlarge(folder / "enlarge", folder, "photo_large.png", env=at_run_time(root))
    run(CC, CODE / "enlarge_c.c", *flags, "-o", folder / "enlarge_c")
    check_enlarge(folder / "enlarge_c", folder, "photo_c.png", env=at_run_time(root))
    flags = run("pkg-config", "--cflags", "--libs", "vkc", env=environment).stdout.split()
    (folder / "devices.cpp").write_text('#include <vkc/vkc.h>\nint main() { return vkc::Instance::create() ? 0 : 0; }\n')
    run(CXX, "-std=c++20", folder / "devices.cpp", *flags, "-o", folder / "devices")
    run(folder / "devices", env=at_run_time(root))


def complete(script: Path, commands: Path, line: str, cwd: Path) -> set[str]:
    """What bash offers for the last word of a line, with the completion `script` and upres in the folder `commands`."""
    words = line.split(" ")
    program = f"""
      source {script}
      COMP_WORDS=({' '.join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}
      _upres; printf '%s\\n' "${{COMPREPLY[@]}}" """
    return set(run("bash", "-c", program, cwd=cwd, env={"PATH": f"{commands}:{os.environ['PATH']}"}).stdout.split())
