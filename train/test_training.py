"""Quick checks on made-up data: pytest train (no GPU, no pictures needed)."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
import torch

from corpus import PatchSource, load_corpus
from export_onnx import onnx_model
from network import Espcn, linear_kernels
from optimizers import orthogonal
from pictures import chroma, luma, psnr, resize_matrix, rgb_from_planes, shrink

SCALES = (2, 3, 4)


def random_picture(height: int, width: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def test_colour_there_and_back() -> None:
    picture = random_picture(5, 7)
    assert np.array_equal(rgb_from_planes(luma(picture), *chroma(picture)), picture)


def test_psnr_counts_limited_range_luma() -> None:
    black, white = np.zeros((8, 8, 3), np.uint8), np.full((8, 8, 3), 255, np.uint8)
    assert psnr(black, white, 2) == pytest.approx(20 * np.log10(255 / 219))


@pytest.mark.parametrize("scale", SCALES)
def test_resizing_keeps_flat_pictures(scale: int) -> None:
    assert np.allclose(resize_matrix(12 * scale, 12).sum(axis=1), 1)
    assert np.all(shrink(np.full((4 * scale, 5 * scale, 3), 77, np.uint8), scale) == 77)


@pytest.mark.parametrize("scale", SCALES)
def test_patches_are_made_small_like_pictures(scale: int) -> None:
    corpus = load_corpus({"t91": [random_picture(50, 70), random_picture(9, 80, 1)]}, torch.device("cpu"), 1)
    source = PatchSource(corpus, scale, patch_px=8, batch=6)
    torch.manual_seed(3)
    low, high = source.sample()
    torch.manual_seed(3)
    patches = source.patches().numpy().astype(np.uint8).transpose(0, 2, 3, 1)
    for index, patch in enumerate(patches):
        assert np.allclose(high[index, 0], luma(patch) / 255, atol=1e-6)
        assert np.allclose(low[index, 0], luma(shrink(patch, scale)) / 255, atol=1e-6)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("expansion", [0, 4])
def test_exported_model_computes_the_same(scale: int, expansion: int) -> None:
    torch.manual_seed(1)
    network = Espcn(scale, expansion, carry_luma=True)
    picture = torch.rand(2, 1, 13, 17)
    model = onnx_model(network.plain_weights()).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    result = session.run([f"luma_x{scale}"], {"luma": picture.numpy()})[0]
    assert result.shape == (2, 1, 13 * scale, 17 * scale)
    assert np.abs(result - network(picture).detach().numpy()).max() < 1e-5


def test_linear_kernels_are_weights_of_one() -> None:
    for scale in SCALES:
        assert torch.allclose(linear_kernels(scale).sum(dim=(1, 2)), torch.ones(scale * scale))


@pytest.mark.parametrize("shape", [(8, 30), (30, 8)])
def test_orthogonal_brings_singular_values_near_one(shape: tuple[int, int]) -> None:
    torch.manual_seed(2)
    values = torch.linalg.svdvals(orthogonal(torch.randn(shape)))
    assert values.min() > 0.5 and values.max() < 1.3
