"""The Debian package (`make deb`): installed by dpkg into a root of its own, used from there, removed."""

import functools
import os
import re
from pathlib import Path

import pytest
from foreign import check_find_package, check_pkg_config, complete, library_folder, png, run

PACKAGE = Path(os.environ["UPRES_DEB"])
# The compiler's own packages: who compiles has them.
TOOLCHAIN = re.compile(r"(gcc|libgcc|libstdc\+\+|libc6|linux-libc)[-0-9a-z]*$")


def dpkg(root: Path, *arguments):
    """dpkg on `root` alone: that root has no other packages, no shell, and a linker cache of its own."""
    tools = root.parent / "tools"
    tools.mkdir(exist_ok=True)
    ldconfig = tools / "ldconfig"
    ldconfig.write_text(f"#!/bin/sh\nexec /sbin/ldconfig -r '{root}'\n")
    ldconfig.chmod(0o755)
    pretend = [] if os.geteuid() == 0 else ["fakeroot"]
    return run(*pretend, "dpkg", f"--root={root}", f"--log={root.parent}/dpkg.log", "--force-depends", "--force-script-chrootless",
               *arguments, env={"PATH": f"{tools}:{os.environ['PATH']}:/usr/sbin:/sbin"})


def files_of(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir() and "var/lib/dpkg" not in str(path)}


@pytest.fixture(scope="session")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("deb") / "root"
    for folder in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "etc"):
        (root / folder).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    (root / "etc/ld.so.conf").write_text("/usr/lib/x86_64-linux-gnu\n/usr/lib/aarch64-linux-gnu\n")
    dpkg(root, "-i", PACKAGE)
    return root


@pytest.fixture(scope="session")
def depends() -> set[str]:
    fields = run("dpkg-deb", "-f", PACKAGE, "Depends").stdout
    return {name.split()[0] for name in fields.split(",")}


@functools.cache
def owner(path: str) -> str:
    """The installed package of a file of this machine, found by either name of merged folders."""
    real = os.path.realpath(path)
    for name in (real, path, real.removeprefix("/usr"), "/usr" + real):
        found = [line for line in run("sh", "-c", 'dpkg -S "$1" 2>/dev/null || true', "-", name).stdout.splitlines()
                 if not line.startswith("diversion")]
        if found:
            return found[0].split(":")[0]
    raise AssertionError(f"{path} belongs to no package")


def test_what_dpkg_installs(root):
    status = run("dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f", "${Package} ${Status}", "upres").stdout
    assert status == "upres install ok installed"
    installed = files_of(root)
    library = library_folder(root / "usr").relative_to(root)
    for name in ("usr/bin/upres", "usr/include/upres/upscaler.h", "usr/include/upres/upres.h", "usr/include/vkc/vkc.h",
                 "usr/share/man/man1/upres.1", "usr/share/bash-completion/completions/upres",
                 "usr/share/zsh/vendor-completions/_upres", "usr/share/fish/vendor_completions.d/upres.fish",
                 "usr/share/doc/upres/copyright", f"{library}/libupres.so", f"{library}/libvkc.so",
                 f"{library}/cmake/upres/upresConfig.cmake", f"{library}/cmake/vkc/vkcConfig.cmake", f"{library}/pkgconfig/upres.pc"):
        assert name in installed and (root / name).stat().st_size > 100, name
    assert not [name for name in installed if name.endswith(".a")], "the package ships shared libraries"
    cache = run("/sbin/ldconfig", "-r", root, "-p").stdout
    assert "libupres.so." in cache and "libvkc.so." in cache


def test_it_depends_on_every_library_it_links(root, depends):
    own = {"libupres", "libvkc"}
    for file in [root / "usr/bin/upres", *library_folder(root / "usr").glob("lib*.so")]:
        needed = re.findall(r"NEEDED.*\[(.+)\]", run("readelf", "-d", file).stdout)
        found = dict(re.findall(r"^\s*(\S+) => (/\S+)", run("ldd", file).stdout, re.MULTILINE))
        assert needed
        for name in needed:
            if name.split(".so")[0] not in own and not name.startswith("ld-linux"):
                assert owner(found[name]) in depends, f"{file.name} needs {name}"


def test_it_depends_on_every_header_it_includes(root, depends):
    suggests = set(run("dpkg-deb", "-f", PACKAGE, "Suggests").stdout.strip().split(", "))
    checked = set()
    for header in sorted((root / "usr/include").rglob("*.h")):
        for name in re.findall(r"^#include <(.+)>", header.read_text(), re.MULTILINE):
            if not Path("/usr/include", name).exists() or (root / "usr/include" / name).exists():
                continue  # the compiler's, or of this package
            package = owner(f"/usr/include/{name}")
            # Vulkan's own headers are for who mixes vkc with plain Vulkan.
            allowed = depends | suggests if header.name == "native.h" else depends
            assert TOOLCHAIN.match(package) or package in allowed, f"{header.name} includes {name} of {package}"
            checked.add(package)
    assert {"libexpected-dev", "libvulkan-dev"} <= checked


def test_the_command_runs(root, tmp_path):
    (tmp_path / "photo.png").write_bytes(png(40, 30))
    run(root / "usr/bin/upres", "photo.png", "--device", "cpu", "--no-cache", cwd=tmp_path)
    assert (tmp_path / "photo_x2.png").read_bytes()[16:24] == (80).to_bytes(4, "big") + (60).to_bytes(4, "big")
    version = run("dpkg-deb", "-f", PACKAGE, "Version").stdout.strip()
    assert run(root / "usr/bin/upres", "--version").stdout.startswith(f"upres {version}")


def test_foreign_programs(root, tmp_path):
    (tmp_path / "cmake").mkdir()
    check_find_package(root / "usr", tmp_path / "cmake")
    needed = run("readelf", "-d", tmp_path / "cmake/build/enlarge").stdout
    assert "libupres.so" in needed, "the program uses the shared library"
    check_pkg_config(root / "usr", tmp_path)


def test_manual_and_completion(root, tmp_path):
    page = (root / "usr/share/man/man1/upres.1").read_text()
    assert page.lstrip().startswith((".TH", ".\\\"")) and "\\-\\-overwrite" in page
    completion = root / "usr/share/bash-completion/completions/upres"
    assert {"devices", "doctor"} <= complete(completion, root / "usr/bin", "upres d", tmp_path)


def test_removing_leaves_nothing(root):
    """The last test: takes away what the others use."""
    dpkg(root, "--purge", "upres")
    left = {name for name in files_of(root) if not name.startswith(("etc/", "var/"))}
    assert left == set()
