"""Trains networks for several scales side by side on one GPU, for a given time.

Every training step is recorded once as a CUDA graph and then replayed, each network on its own stream: small networks
would otherwise leave most of a large GPU idle. Without a GPU the same steps run one after the other on the CPU.
"""

from __future__ import annotations

import argparse
import copy
import math
import time
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from corpus import Corpus, PatchSource, load_corpus, read_folders, test_pairs
from network import Espcn
from optimizers import make_optimizers
from pictures import LIMITED_RANGE

EMA_DECAY = 0.999
WARM_UP = 0.02  # share of the time in which the learning rate rises
STEPS_BETWEEN_RATES = 20  # the learning rate follows the clock in steps of that many


@dataclass
class Run:
    """One network to train; on the command line as scale=3,expansion=4,..."""

    scale: int = 3
    name: str = ""
    expansion: int = 4  # width of the inner branches in multiples of a layer's channels; 0: plain kernels
    carry: int = 1  # start near linear interpolation
    optimizer: str = "muon"
    rate: float = 1.5e-3
    patch: int = 48  # low-resolution pixels
    batch: int = 32
    jitter: float = 0.0  # disturbance in training, in multiples of bf16's rounding errors
    start: str = ""  # .npz of a trained network to go on with
    seed: int = 1

    @staticmethod
    def parse(text: str) -> Run:
        types = {f.name: {"int": int, "float": float, "str": str}[f.type] for f in fields(Run)}
        given = dict(item.split("=") for item in text.split(","))
        run = Run(**{key: types[key](value) for key, value in given.items()})
        run.name = run.name or f"espcn_x{run.scale}"
        return run


class Trainer:
    """A network, its moving average, its optimizer and its recorded step."""

    def __init__(self, run: Run, corpus: Corpus) -> None:
        device = corpus.samples.device
        torch.manual_seed(run.seed)
        self.run = run
        self.model = Espcn(run.scale, run.expansion, bool(run.carry), run.jitter)
        if run.start:
            with np.load(run.start) as weights:
                self.model.start_from(weights)
        self.model.to(device)
        self.average = copy.deepcopy(self.model).requires_grad_(False).eval()
        self.source = PatchSource(corpus, run.scale, run.patch, run.batch)
        self.rate = torch.zeros((), device=device)
        self.optimizers = make_optimizers(run.optimizer, self.model, self.rate)
        self.loss = torch.zeros((), device=device)
        self.on_gpu = device.type == "cuda"
        self.stream = torch.cuda.Stream() if self.on_gpu else None
        self.graph: torch.cuda.CUDAGraph | None = None
        self.steps = 0

    def step(self) -> None:
        low, high = self.source.sample()
        for optimizer in self.optimizers:
            optimizer.zero_grad(set_to_none=True)
        loss = functional.mse_loss(self.model(low), high)
        loss.backward()
        for optimizer in self.optimizers:
            optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.parameters()), list(self.model.parameters()), 1 - EMA_DECAY)
            self.loss.lerp_(loss.detach(), 0.01)

    def record(self) -> None:
        """Runs a few steps so that all libraries have made their choices, then records one."""
        if not self.on_gpu:
            return
        torch.cuda.synchronize()
        with torch.cuda.stream(self.stream):
            for _ in range(5):
                self.step()
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, stream=self.stream):
            self.step()
        torch.cuda.synchronize()

    def milliseconds(self) -> float:
        """Time of one recorded step with the device to itself."""
        begin = time.monotonic()
        for _ in range(100):
            self.advance()
        torch.cuda.synchronize()
        return (time.monotonic() - begin) * 10

    def advance(self) -> None:
        if self.graph is None:
            self.step()
        else:
            with torch.cuda.stream(self.stream):
                self.graph.replay()
        self.steps += 1

    def follow_clock(self, progress: float) -> None:
        """Sets the learning rate: a short rise, then half a cosine down to zero."""
        rate = self.run.rate * min(1.0, progress / WARM_UP) * 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
        if self.on_gpu:
            with torch.cuda.stream(self.stream):
                self.rate.fill_(rate)
        else:
            self.rate.fill_(rate)


@torch.no_grad()
def luma_psnr(model: Espcn, pairs: list[tuple[Tensor, Tensor]]) -> float:
    """Mean PSNR of limited-range luma, in full precision, border shaved; close to evaluate.py, not the same."""
    values = []
    with torch.backends.cudnn.flags(enabled=True, benchmark=False, allow_tf32=False):
        for low, high in pairs:
            error = (model(low).clamp(0, 1) - high) * LIMITED_RANGE
            error = error[..., model.scale:-model.scale, model.scale:-model.scale]
            values.append(-10 * math.log10(error.square().mean().item()))
    return sum(values) / len(values)


def report(trainers: list[Trainer], pairs: dict[tuple[str, int], list], seconds: float, output: Path) -> None:
    """Prints one line per network and saves its average weights, so that a lost machine loses little."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    for t in trainers:
        held_out, set5 = (luma_psnr(t.average, pairs[name, t.run.scale]) for name in ("validation", "set5"))
        print(f"{seconds:6.0f} s  {t.run.name:24s} step {t.steps:7d}  rate {t.rate.item():.1e}  "
              f"loss {-10 * math.log10(max(t.loss.item(), 1e-9)):.3f} dB  "
              f"validation {held_out:.3f} dB  set5 {set5:.3f} dB", flush=True)
        np.savez(output / f"{t.run.name}.npz", **t.average.plain_weights())


def train(trainers: list[Trainer], pairs: dict, begin: float, minutes: float, every_s: float, output: Path) -> None:
    """Advances all networks in turn until the time is over; `begin` is when the program started."""
    start, end = time.monotonic(), begin + minutes * 60
    next_report = start + every_s
    while (now := time.monotonic()) < end:
        for t in trainers:
            t.follow_clock((now - start) / (end - start))
        for _ in range(STEPS_BETWEEN_RATES):
            for t in trainers:
                t.advance()
        if torch.cuda.is_available():
            torch.cuda.synchronize()  # the host must not run ahead of the clock that sets the rate
        if time.monotonic() > next_report:
            report(trainers, pairs, time.monotonic() - begin, output)
            next_report += every_s
    report(trainers, pairs, time.monotonic() - begin, output)


def main() -> None:
    begin = time.monotonic()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pictures", type=Path, default=Path(".train/pictures.tar"))
    parser.add_argument("--output", type=Path, default=Path(".train"))
    parser.add_argument("--run", type=Run.parse, action="append", required=True, help="e.g. scale=3,expansion=4")
    parser.add_argument("--minutes", type=float, default=9.0, help="from the start of the program to its last report")
    parser.add_argument("--report-every", type=float, default=60.0, help="seconds")
    parser.add_argument("--workers", type=int, default=8, help="threads that resize the training pictures")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = True
    folders = read_folders(args.pictures)
    corpus = load_corpus(folders, device, args.workers)
    pairs = {(name, scale): test_pairs(folders[name], scale, device)
             for name in ("validation", "set5") for scale in {run.scale for run in args.run}}
    print(f"{time.monotonic() - begin:.1f} s: {corpus.start.numel()} pictures, {corpus.samples.numel() / 3e6:.0f} Mpx, "
          f"on {device}", flush=True)
    trainers = [Trainer(run, corpus) for run in args.run]
    for trainer in trainers:
        trainer.record()
        if trainer.on_gpu:
            print(f"{trainer.run.name}: {trainer.milliseconds():.3f} ms a step alone", flush=True)
    print(f"{time.monotonic() - begin:.1f} s: all steps recorded", flush=True)
    train(trainers, pairs, begin, args.minutes, args.report_every, args.output)


if __name__ == "__main__":
    main()
