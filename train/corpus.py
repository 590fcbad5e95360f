"""Training pictures in device memory, and random batches of patches cut and made small there.

No work per step is left to the host: a batch is a few indexed reads and two matrix products, so that the whole training
step can be recorded once and replayed.
"""

from __future__ import annotations

import io
import tarfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from pictures import LUMA_WEIGHTS, crop_to_multiple, luma, read_rgb, resize, resize_matrix, shrink

# How often patches come from each folder of the tar file. T91 is small but the richest in detail per pixel.
FOLDER_SHARE = {"t91": 0.35, "bsds": 0.45, "photographs": 0.20}
# Each picture is also used in smaller sizes, which are sharper and show other sizes of the same detail.
SIZES = (1.0, 0.9, 0.8, 0.7, 0.6)


def read_folders(archive: Path) -> dict[str, list[np.ndarray]]:
    """All pictures of the tar file by folder."""
    folders: dict[str, list[np.ndarray]] = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            folder = member.name.split("/")[0]
            folders.setdefault(folder, []).append(read_rgb(io.BytesIO(tar.extractfile(member).read())))
    return folders


def in_all_sizes(picture: np.ndarray) -> list[np.ndarray]:
    height, width = picture.shape[:2]
    return [picture if s == 1.0 else resize(picture, round(height * s), round(width * s)) for s in SIZES]


@dataclass
class Corpus:
    """All pictures, one after the other, in one flat array of 8-bit samples: red, green and blue planes each."""

    samples: Tensor  # uint8
    start: Tensor  # index of each picture's first sample
    height: Tensor
    width: Tensor
    share: Tensor  # running sum of the probabilities of the pictures


def load_corpus(folders: dict[str, list[np.ndarray]], device: torch.device, workers: int) -> Corpus:
    """A picture's probability is its folder's share, split by area."""
    pictures: list[np.ndarray] = []
    share: list[float] = []
    with ThreadPoolExecutor(workers) as pool:
        for folder, folder_share in FOLDER_SHARE.items():
            sized = [p for group in pool.map(in_all_sizes, folders.get(folder, [])) for p in group]
            area = float(sum(p.shape[0] * p.shape[1] for p in sized))
            share += [folder_share * p.shape[0] * p.shape[1] / area for p in sized]
            pictures += sized
    planes = [np.ascontiguousarray(p.transpose(2, 0, 1)).ravel() for p in pictures]
    starts = np.cumsum([0] + [p.size for p in planes[:-1]])
    return Corpus(
        samples=torch.from_numpy(np.concatenate(planes)).to(device),
        start=torch.from_numpy(starts).to(device),
        height=torch.tensor([p.shape[0] for p in pictures], device=device),
        width=torch.tensor([p.shape[1] for p in pictures], device=device),
        share=torch.tensor(np.cumsum(share) / np.sum(share), dtype=torch.float32, device=device))


def mirrored(position: Tensor, size: Tensor) -> Tensor:
    """Positions beyond a picture's end run back into it, so that small pictures give patches of any size."""
    position = position % (2 * size)
    return torch.minimum(position, 2 * size - 1 - position)


class PatchSource:
    """Batches of (low-resolution luma, high-resolution luma) in [0, 1].

    A patch is made small as if it were a whole picture: its edge samples are repeated, and both passes are rounded. So
    the network also learns what to do at the borders of a picture, where it sees its own zero padding.
    """

    def __init__(self, corpus: Corpus, scale: int, patch_px: int, batch: int) -> None:
        device = corpus.samples.device
        self.corpus, self.batch, self.size = corpus, batch, patch_px * scale
        matrix = resize_matrix(self.size, patch_px)
        self.shrink = torch.tensor(matrix, dtype=torch.float32, device=device)
        self.luma = torch.tensor(LUMA_WEIGHTS / 255.0, dtype=torch.float32, device=device)
        self.steps = torch.arange(self.size, device=device)
        self.planes = torch.arange(3, device=device).view(1, 3, 1, 1)

    def random(self) -> Tensor:
        return torch.rand(self.batch, device=self.corpus.samples.device)

    def lines(self, picture_size: Tensor) -> Tensor:
        """For each patch of the batch the rows (or columns) it takes, in rising or falling order."""
        room = (picture_size - self.size + 1).clamp(min=1)
        first = torch.minimum((self.random() * room).long(), room - 1)
        steps = torch.where(self.random()[:, None] < 0.5, self.steps, self.size - 1 - self.steps)
        return mirrored(first[:, None] + steps, picture_size[:, None])

    def patches(self) -> Tensor:
        """batch x 3 x size x size, 0..255, flipped and turned at random."""
        c = self.corpus
        chosen = torch.searchsorted(c.share, self.random()).clamp(max=c.share.numel() - 1)
        height, width = c.height[chosen], c.width[chosen]
        rows, columns = self.lines(height), self.lines(width)
        turned = (self.random() < 0.5)[:, None, None]
        upright = rows[:, :, None] * width[:, None, None] + columns[:, None, :]
        index = torch.where(turned, upright.transpose(1, 2), upright)
        plane_size = (height * width)[:, None, None, None]
        return c.samples[c.start[chosen][:, None, None, None] + self.planes * plane_size + index[:, None]].float()

    def sample(self) -> tuple[Tensor, Tensor]:
        high = self.patches()
        flat = (self.shrink @ high + 0.5).floor().clamp(0, 255)
        low = (flat @ self.shrink.T + 0.5).floor().clamp(0, 255)
        return self.to_luma(low), self.to_luma(high)

    def to_luma(self, rgb: Tensor) -> Tensor:
        return torch.einsum("bchw,c->bhw", rgb, self.luma)[:, None]


def test_pairs(pictures: list[np.ndarray], scale: int, device: torch.device) -> list[tuple[Tensor, Tensor]]:
    """(low, high) luma of whole pictures, for progress reports."""
    pairs = []
    for picture in pictures:
        high = crop_to_multiple(picture, scale)
        planes = [torch.tensor(luma(p) / 255.0, dtype=torch.float32, device=device)[None, None]
                  for p in (shrink(high, scale), high)]
        pairs.append((planes[0], planes[1]))
    return pairs
