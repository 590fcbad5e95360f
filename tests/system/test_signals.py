"""SIGINT and SIGTERM: exit code 130 or 143, nothing half done is left."""

import shutil
import signal
import time

import numpy as np
import pytest

from pictures import gradient, save


@pytest.mark.parametrize("which, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_batch_is_stopped(upres, which, code):
    names = [f"{i:02}.png" for i in range(40)]
    save(upres.folder / names[0], gradient(300, 200))
    for name in names[1:]:
        shutil.copy(upres.folder / names[0], upres.folder / name)
    process = upres.start(*names, "-s", "4", "-o", "out", "--precision", "fp32")
    deadline = time.monotonic() + 60
    while not (upres.folder / "out" / "00.png").exists():
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.01)
    process.send_signal(which)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == code, stderr
    left = [name for name in upres.files() if name.startswith("out/")]
    assert 1 <= len(left) < 40
    # Those that are there are whole, in order, and no temporary file lies beside them.
    assert left == [f"out/{name}" for name in names[:len(left)]]
    upres(left[-1], "-o", "again.png", "-s", "1.1")


@pytest.mark.parametrize("times", [1, 2])
def test_before_the_first_is_done(upres, times):
    """The second signal does not wait for the tile at hand."""
    save(upres.folder / "large.png", np.tile(gradient(100, 100), (30, 40, 1)))
    process = upres.start("large.png", "-s", "4", "--precision", "fp32")
    time.sleep(1.0)
    for _ in range(times):
        process.send_signal(signal.SIGTERM)
        time.sleep(0.1)
    process.communicate(timeout=60)
    assert process.returncode == 143
    assert upres.files() == ["large.png"]
