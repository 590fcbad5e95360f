"""SIGINT, SIGTERM and SIGHUP: exit code 130, 143 or 129, nothing half done is left."""

import os
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest

from pictures import gradient, save


def wait_for_handler(process, which=signal.SIGTERM):
    """Until the process catches the signal: how long it takes to start is another matter (sanitizers, busy machines)."""
    deadline = time.monotonic() + 60
    caught = 0
    while not caught >> (which - 1) & 1:
        assert time.monotonic() < deadline and process.poll() is None
        with open(f"/proc/{process.pid}/status") as status:
            caught = next(int(line.split()[1], 16) for line in status if line.startswith("SigCgt"))
        time.sleep(0.01)


@pytest.mark.parametrize("which, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
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
    wait_for_handler(process)
    time.sleep(1.0)
    for _ in range(times):
        process.send_signal(signal.SIGTERM)
        time.sleep(0.1)
    process.communicate(timeout=60)
    assert process.returncode == 143
    assert upres.files() == ["large.png"]


@pytest.mark.parametrize("which, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_raw_tensors(upres, which, code):
    np.save(upres.folder / "in.npy", np.zeros((1, 1, 2500, 2500), np.float32))
    process = upres.start("run", "espcn_x4", "in.npy", "-o", "out.npy", "--json")
    assert b'"start"' in process.stdout.readline()
    time.sleep(0.5)
    process.send_signal(which)
    out, stderr = process.communicate(timeout=60)
    assert process.returncode == code, stderr
    assert b'"done":0' in out and upres.files() == ["in.npy"]


@pytest.mark.parametrize("arguments", [["-", "-o", "out.png"], ["pipe.png"], ["run", "espcn_x2", "pipe.png", "-o", "out.npy"]],
                         ids=["standard input", "named pipe", "tensor"])
@pytest.mark.parametrize("is_fed", [True, False])
def test_waiting_for_input(upres, arguments, is_fed):
    """One signal is enough, whether nothing came yet or more is to come."""
    os.mkfifo(upres.folder / "pipe.png")
    process = upres.start(*arguments, stdin=subprocess.PIPE)
    writer = os.open(upres.folder / "pipe.png", os.O_RDWR) if is_fed else None
    if is_fed:
        os.write(process.stdin.fileno() if arguments[0] == "-" else writer, b"\x89PNG")
    wait_for_handler(process)
    time.sleep(1.0)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    begin = time.monotonic()
    process.wait(timeout=30)
    assert process.returncode == 143 and time.monotonic() - begin < 5
    process.communicate()
    if is_fed:
        os.close(writer)
    assert upres.files() == ["pipe.png"]


def test_nohup(upres):
    """Whoever has SIGHUP ignored means it."""
    save(upres.folder / "p.png", gradient(30, 20))
    process = upres.start("-", "-o", "out.png", stdin=subprocess.PIPE,
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    time.sleep(0.5)
    process.send_signal(signal.SIGHUP)
    process.communicate((upres.folder / "p.png").read_bytes(), timeout=60)
    assert process.returncode == 0 and "out.png" in upres.files()
