"""An installed copy as others use it: find_package, pkg-config, add_subdirectory, dlopen, the Debian package."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "docs"))
from run_commands import png  # noqa: E402

HERE = Path(__file__).parent
BUILD, SOURCE, CODE = (Path(os.environ[name]) for name in ("UPRES_BUILD", "UPRES_SOURCE", "UPRES_README_CODE"))
CMAKE, CC, CXX = (os.environ[name] for name in ("UPRES_CMAKE", "CC", "CXX"))
IS_SHARED = os.environ["UPRES_SHARED"] == "1"
LAVAPIPE = sorted(Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json"))
ENVIRONMENT = os.environ | ({"VK_ICD_FILENAMES": str(LAVAPIPE[0]), "VK_DRIVER_FILES": str(LAVAPIPE[0])} if LAVAPIPE else {})


def run(*command, code=0, **options):
    options["env"] = ENVIRONMENT | options.pop("env", {})
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == code, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done


@pytest.fixture(scope="session")
def roots(tmp_path_factory):
    """Prefixes with static and with shared libraries, by kind."""
    prefixes = {kind: tmp_path_factory.mktemp(kind) for kind in ("static", "shared")}
    main, other = ("shared", "static") if IS_SHARED else ("static", "shared")
    run(CMAKE, "--install", BUILD, "--prefix", prefixes[main])
    run(CMAKE, "--install", BUILD, "--prefix", prefixes[other], "--component", "other_kind")
    return prefixes


@pytest.fixture(params=["static", "shared"])
def root(roots, request):
    return roots[request.param]


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
    done = run(CMAKE, "-S", source, "-B", build, "-G", "Ninja", *(f"-D{each}" for each in definitions))
    assert "Warning" not in done.stderr, done.stderr


def as_project(page: Path, folder: Path) -> Path:
    folder.mkdir()
    shutil.copy(page, folder / "CMakeLists.txt")
    return folder


def test_what_is_installed(roots, tmp_path):
    main = roots["shared" if IS_SHARED else "static"]
    names = {str(path.relative_to(main)) for path in main.rglob("*") if not path.is_dir()}
    for name in ("bin/upres", "include/upres/upscaler.h", "include/upres/upres.h", "include/vkc/vkc.h",
                 "share/man/man1/upres.1", "share/bash-completion/completions/upres"):
        assert name in names
    library = "so" if IS_SHARED else "a"
    for name in (f"libupres.{library}", f"libvkc.{library}", "cmake/upres/upresConfig.cmake",
                 "cmake/vkc/VkcKernels.cmake", "pkgconfig/upres.pc"):
        assert (library_folder(main) / name).exists()
    run(CMAKE, "--install", BUILD, "--prefix", "/opt/upres", env={"DESTDIR": str(tmp_path)})
    below = {str(path.relative_to(tmp_path / "opt/upres")) for path in tmp_path.rglob("*") if not path.is_dir()}
    assert below == names


def test_nothing_installed_names_the_build(roots):
    for root in roots.values():
        for path in root.rglob("*"):
            if path.suffix in (".cmake", ".pc", ".h"):
                text = path.read_text()
                assert str(BUILD) not in text and str(SOURCE) not in text, path


def test_find_package(root, tmp_path):
    project = tmp_path / "enlarge"
    project.mkdir()
    for name in ("CMakeLists.txt", "enlarge.cpp", "enlarge_c.c"):
        shutil.copy(CODE / name, project)
    configure(project, tmp_path / "build", f"CMAKE_PREFIX_PATH={root}")
    run(CMAKE, "--build", tmp_path / "build")
    assert "200x160" in check_enlarge(tmp_path / "build/enlarge", tmp_path, "photo_large.png").stdout
    check_enlarge(tmp_path / "build/enlarge_c", tmp_path, "photo_c.png")


def slangc() -> str:
    """The compiler of this build, as foreign projects name it."""
    chosen = re.search(r"VKC_SLANGC:\w+=(.*)", (BUILD / "CMakeCache.txt").read_text())[1]
    return chosen or next(iter(SOURCE.glob(".venv/lib/python3*/site-packages/slangtorch/bin/slangc")), "")


@pytest.mark.skipif(not LAVAPIPE, reason="no software Vulkan device")
def test_find_package_vkc(root, tmp_path):
    project = as_project(HERE / "vkc_project.cmake", tmp_path / "scale")
    configure(project, tmp_path / "build", f"CMAKE_PREFIX_PATH={root}", f"CODE={CODE}", f"VKC_SLANGC={slangc()}")
    run(CMAKE, "--build", tmp_path / "build")
    assert run(tmp_path / "build/scale").stdout == "2 4 6 8 "


@pytest.mark.skipif(not LAVAPIPE, reason="no software Vulkan device")
def test_examples(roots, tmp_path):
    configure(SOURCE / "examples", tmp_path / "build", f"CMAKE_PREFIX_PATH={roots['shared']}", f"VKC_SLANGC={slangc()}")
    run(CMAKE, "--build", tmp_path / "build")
    run("ctest", "--test-dir", tmp_path / "build", "--no-tests=error", env={"UPRES_REQUIRE_DEVICE": "1"})


def test_pkg_config(root, tmp_path):
    environment = {"PKG_CONFIG_PATH": str(library_folder(root) / "pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "upres", env=environment).stdout.split()
    run(CXX, "-std=c++20", CODE / "enlarge.cpp", *flags, "-o", tmp_path / "enlarge")
    check_enlarge(tmp_path / "enlarge", tmp_path, "photo_large.png", env=at_run_time(root))
    run(CC, CODE / "enlarge_c.c", *flags, "-o", tmp_path / "enlarge_c")
    check_enlarge(tmp_path / "enlarge_c", tmp_path, "photo_c.png", env=at_run_time(root))
    flags = run("pkg-config", "--cflags", "--libs", "vkc", env=environment).stdout.split()
    (tmp_path / "devices.cpp").write_text('#include <vkc/vkc.h>\nint main() { return vkc::Instance::create() ? 0 : 0; }\n')
    run(CXX, "-std=c++20", tmp_path / "devices.cpp", *flags, "-o", tmp_path / "devices")
    run(tmp_path / "devices", env=at_run_time(root))


def test_add_subdirectory(tmp_path):
    project = as_project(HERE / "subdirectory_project.cmake", tmp_path / "enlarge")
    kept = re.findall(r"^(CMAKE_BUILD_TYPE|CMAKE_CXX_FLAGS_RELEASE|VKC_SLANGC):\w+=(.+)$",
                      (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    configure(project, tmp_path / "build", f"SOURCE={SOURCE}", f"CODE={CODE}", *(f"{k}={v}" for k, v in kept))
    targets = run(CMAKE, "--build", tmp_path / "build", "--target", "help").stdout
    assert "test_api" not in targets, "the tests of upres are no part of another project"
    run(CMAKE, "--build", tmp_path / "build", "--target", "scale")
    if LAVAPIPE:
        assert run(tmp_path / "build/scale").stdout == "2 4 6 8 "
    # Building all of upres would take minutes: CMake has found every library behind the target, and its headers are
    # enough for the program.
    folders = (tmp_path / "build/include_folders.txt").read_text().split()
    assert str(SOURCE / "src") not in folders
    run(CXX, "-std=c++20", "-fsyntax-only", *(f"-I{folder}" for folder in folders), CODE / "enlarge.cpp")


def exported(library: Path) -> list[str]:
    lines = run("nm", "-D", "-C", "--defined-only", library).stdout.splitlines()
    return [line.split(" ", 2)[2] for line in lines]


def test_only_the_interface_is_visible(roots):
    libraries = library_folder(roots["shared"])
    upres, vkc = exported(libraries / "libupres.so"), exported(libraries / "libvkc.so")
    for name in upres:
        assert re.match(r"upres_\w+$|upres::(Device|Model|Upscaler|Pending<|Image|Error|list_devices|embedded_models|"
                        r"library_version|crop|name\()", name), name
    declared = set(re.findall(r"\b(upres_\w+)\(", (SOURCE / "include/upres/upres.h").read_text()))
    assert declared - set(upres) == set()
    for name in vkc:
        assert re.match(r"vkc::(?!detail|spirv)", name), name
    assert any(name.startswith("vkc::Device::open") for name in vkc)


def test_loading_and_unloading(roots, tmp_path):
    libraries = library_folder(roots["shared"])
    run(CC, HERE / "dlopen.c", f"-I{roots['shared']}/include", "-o", tmp_path / "dlopen")
    done = run(tmp_path / "dlopen", libraries / "libupres.so", libraries / "libvkc.so", env=at_run_time(roots["shared"]),
               cwd=tmp_path)
    assert done.stdout == "loaded and unloaded\n" and done.stderr == ""


def test_debian_package(tmp_path):
    run("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", tmp_path)
    package = next(tmp_path.glob("*.deb"))
    depends = run("dpkg-deb", "-f", package, "Depends").stdout
    for name in ("libvips", "libprotobuf-lite", "libdnnl", "libc6"):
        assert name in depends
    root = tmp_path / "root"
    run("dpkg-deb", "-x", package, root)
    (tmp_path / "photo.png").write_bytes(png(40, 30))
    run(root / "usr/bin/upres", "photo.png", "--device", "cpu", "--no-cache", cwd=tmp_path)
    assert (tmp_path / "photo_x2.png").exists()
    for name in ("include/upres/upres.h", "share/man/man1/upres.1", "share/bash-completion/completions/upres",
                 "share/zsh/vendor-completions/_upres", "share/fish/vendor_completions.d/upres.fish"):
        assert (root / "usr" / name).stat().st_size > 500, name
    flags = run("pkg-config", "--cflags", "--libs", "upres",
                env={"PKG_CONFIG_PATH": str(library_folder(root) / "pkgconfig")}).stdout.split()
    run(CC, CODE / "enlarge_c.c", *flags, "-o", tmp_path / "enlarge_c")
    check_enlarge(tmp_path / "enlarge_c", tmp_path, "photo_c.png", env=at_run_time(root))


def complete(line: str, cwd: Path) -> set[str]:
    """What bash offers for the last word of a line."""
    words = line.split(" ")
    script = f"""
      source {BUILD}/cmake/package/manual/upres.bash
      COMP_WORDS=({' '.join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}
      _upres; printf '%s\\n' "${{COMPREPLY[@]}}" """
    return set(run("bash", "-c", script, cwd=cwd, env={"PATH": f"{BUILD}/bin:{os.environ['PATH']}"}).stdout.split())


def test_completion_and_manual(tmp_path):
    (tmp_path / "photo.png").touch()
    assert {"devices", "doctor"} <= complete("upres d", tmp_path)
    assert "photo.png" in complete("upres ph", tmp_path)
    assert "--overwrite" in complete("upres photo.png --o", tmp_path)
    assert "--shave" in complete("upres compare --s", tmp_path)
    assert "--overwrite" not in complete("upres compare --o", tmp_path)
    assert complete("upres photo.png --format w", tmp_path) == {"webp"}
    assert "espcn_x2" in complete("upres photo.png -m esp", tmp_path)
    page = (BUILD / "cmake/package/manual/upres.1").read_text()
    help_text = run(BUILD / "bin/upres", "upscale", "--help").stdout
    for option in re.findall(r"^  \S*?(--[a-z-]+)", help_text, re.MULTILINE):
        assert option.replace("-", "\\-") in page, option
    if shutil.which("man"):
        warnings = run("man", "--warnings", "-l", BUILD / "cmake/package/manual/upres.1", env={"MANPAGER": "cat"}).stderr
        assert warnings == ""
