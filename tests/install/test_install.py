"""An installed copy as others use it: find_package, pkg-config, add_subdirectory, dlopen. For the Debian package see test_deb.py."""

import os
import re
import shutil
from pathlib import Path

import pytest
from foreign import (CC, CMAKE, CODE, CXX, HERE, LAVAPIPE, SOURCE, as_project, at_run_time, check_enlarge, check_find_package,
                     check_pkg_config, complete, configure, library_folder, run)

BUILD = Path(os.environ["UPRES_BUILD"])
IS_SHARED = os.environ["UPRES_SHARED"] == "1"


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
    check_find_package(root, tmp_path)


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
    check_pkg_config(root, tmp_path)


def test_add_subdirectory(tmp_path):
    project = as_project(HERE / "subdirectory_project.cmake", tmp_path / "enlarge")
    kept = re.findall(r"^(CMAKE_BUILD_TYPE|CMAKE_CXX_FLAGS_RELEASE|VKC_SLANGC):\w+=(.+)$",
                      (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    # Beside the build under test, so that ccache has seen nearly every file, and kept for the next run.
    build = BUILD.parent / "subdirectory"
    configure(project, build, f"SOURCE={SOURCE}", f"CODE={CODE}", *(f"{k}={v}" for k, v in kept))
    targets = run(CMAKE, "--build", build, "--target", "help").stdout
    assert "test_api" not in targets, "the tests of upres are no part of another project"
    run(CMAKE, "--build", build)
    assert not list(build.glob("**/upres_manual*")) and not (build / "bin/upres").exists(), "what nobody asked for was built"
    assert "200x160" in check_enlarge(build / "enlarge", tmp_path, "photo_large.png").stdout
    if LAVAPIPE:
        assert run(build / "scale").stdout == "2 4 6 8 "


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


def test_completion_and_manual(tmp_path):
    def offered(line):
        return complete(BUILD / "cmake/package/manual/upres.bash", BUILD / "bin", line, tmp_path)

    (tmp_path / "photo.png").touch()
    assert {"devices", "doctor"} <= offered("upres d")
    assert "photo.png" in offered("upres ph")
    assert "--overwrite" in offered("upres photo.png --o")
    assert "--shave" in offered("upres compare --s")
    assert "--overwrite" not in offered("upres compare --o")
    assert offered("upres photo.png --format w") == {"webp"}
    assert "espcn_x2" in offered("upres photo.png -m esp")
    page = (BUILD / "cmake/package/manual/upres.1").read_text()
    help_text = run(BUILD / "bin/upres", "upscale", "--help").stdout
    for option in re.findall(r"^  \S*?(--[a-z-]+)", help_text, re.MULTILINE):
        assert option.replace("-", "\\-") in page, option
    if shutil.which("man"):
        warnings = run("man", "--warnings", "-l", BUILD / "cmake/package/manual/upres.1", env={"MANPAGER": "cat"}).stderr
        assert warnings == ""
