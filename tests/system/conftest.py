"""What the system tests share: the command, a clean folder, pictures of all kinds, devices."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

UPRES = os.environ["UPRES_BIN"]
LAVAPIPE = sorted(Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json"))


class Upres:
    """Runs the command in a folder of its own, with a cache of its own, on the CPU unless told otherwise."""

    def __init__(self, folder: Path, cache: Path):
        self.folder = folder
        self.environment = os.environ | {"UPRES_CACHE": str(cache)}
        if LAVAPIPE:
            self.environment |= {"VK_ICD_FILENAMES": str(LAVAPIPE[0]), "VK_DRIVER_FILES": str(LAVAPIPE[0])}

    def start(self, *arguments, device="cpu", **options):
        device_arguments = ["--device", device] if device else []
        return subprocess.Popen([UPRES, *arguments, *device_arguments], cwd=self.folder, env=self.environment,
                                stdin=options.pop("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **options)

    def __call__(self, *arguments, code=0, device="cpu", data=None, **options):
        """Runs to the end and checks the exit code; text on both channels unless `data` is given."""
        if data is not None:
            options["stdin"] = subprocess.PIPE
        with self.start(*arguments, device=device, **options) as process:
            out, err = process.communicate(data)
        done = subprocess.CompletedProcess(arguments, process.returncode, out, err.decode(errors="replace"))
        assert done.returncode == code, f"exit code {done.returncode}, not {code}\n{done.stderr}{out!r}"
        assert "terminate called" not in done.stderr and "Sanitizer" not in done.stderr, done.stderr
        return done

    def plain(self, *arguments, code=0, **options):
        """For subcommands that compute nothing and know no --device."""
        return self(*arguments, code=code, device=None, **options)

    def events(self, *arguments, code=0, device="cpu"):
        """The JSON objects that a call prints."""
        done = self(*arguments, "--json", code=code, device=device)
        events = [json.loads(line) for line in done.stdout.decode().splitlines()]
        assert all(isinstance(event, dict) and next(iter(event)) == "event" for event in events)
        return events

    def files(self):
        """Everything in the folder, hidden files too."""
        return sorted(os.fsdecode(os.path.relpath(os.path.join(root, name), self.folder))
                      for root, _, names in os.walk(self.folder) for name in names)


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def upres(tmp_path, cache):
    folder = tmp_path / "work"
    folder.mkdir()
    return Upres(folder, cache)


@pytest.fixture
def data():
    """The folder of pictures and models of others."""
    folder = os.environ.get("UPRES_TEST_DATA")
    if not folder:
        pytest.skip("UPRES_TEST_DATA is empty")
    return Path(folder)


@pytest.fixture
def llvmpipe(upres):
    """The name of the software Vulkan device."""
    devices = [json.loads(line) for line in upres.plain("devices", "--json").stdout.decode().splitlines()]
    if not any(device["type"] == "software" and not device["refused"] for device in devices):
        if os.environ.get("UPRES_REQUIRE_DEVICE"):
            pytest.fail("no software Vulkan device")
        pytest.skip("no software Vulkan device")
    return "llvmpipe"
