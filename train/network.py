"""The network, in the over-parameterised form in which it is trained and the plain form in which it is used.

ESPCN with 64, 64 and 32 channels: four convolutions with zero padding, ReLU between them, then a pixel shuffle.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

# (channels in, channels out, kernel size) of all layers but the last, whose channels out are the squared scale
BODY = ((1, 64, 5), (64, 64, 3), (64, 32, 3))
LAST_KERNEL = 3
BF16_ROUNDING = 2.0**-9  # largest relative error of one rounding to bf16


def jittered(values: Tensor, amount: float) -> Tensor:
    """The values with relative errors as rounding to bf16 makes them, `amount` times as large."""
    return values * (1 + amount * BF16_ROUNDING * (2 * torch.rand_like(values) - 1))


class FoldedConv(nn.Module):
    """A convolution whose kernel is a sum of branches: direct, expanded (k x k to `width` channels, then 1x1) and 1x1.

    All branches are linear and have no bias inside, so their sum is one k x k kernel, zero padding included. That
    kernel is computed first and applied once, which is why the branches cost little. They change only how the optimizer
    moves: two matrices learn the strong directions of their product faster than one matrix in its place does.
    """

    def __init__(self, channels_in: int, channels_out: int, kernel: int, expansion: int) -> None:
        super().__init__()
        fan_in = channels_in * kernel * kernel
        self.direct = nn.Parameter(torch.randn(channels_out, channels_in, kernel, kernel) * (1.0 / fan_in) ** 0.5)
        self.bias = nn.Parameter(torch.zeros(channels_out))
        self.expanded = expansion > 0
        if self.expanded:
            width = expansion * max(channels_in, channels_out)
            self.expand = nn.Parameter(torch.randn(width, channels_in, kernel, kernel) * (1.0 / fan_in) ** 0.5)
            self.project = nn.Parameter(torch.randn(channels_out, width) * (1.0 / width) ** 0.5)
            self.point = nn.Parameter(torch.randn(channels_out, channels_in) * 0.1 * (1.0 / channels_in) ** 0.5)

    def kernel(self) -> Tensor:
        if not self.expanded:
            return self.direct
        product = (self.project @ self.expand.flatten(1)).view_as(self.direct)
        margin = self.direct.shape[-1] // 2
        centre = functional.pad(self.point[:, :, None, None], (margin,) * 4)
        return self.direct + product + centre

    def forward(self, x: Tensor, jitter: float = 0.0) -> Tensor:
        kernel = self.kernel()
        if jitter > 0:
            kernel, x = jittered(kernel, jitter), jittered(x, jitter)
        kernel = kernel.contiguous(memory_format=torch.channels_last)
        return functional.conv2d(x, kernel, self.bias, padding=self.direct.shape[-1] // 2)


class Espcn(nn.Module):
    """Luma in [0, 1], batch x 1 x height x width, to the same at `scale` times the size.

    In training, `jitter` disturbs all layers but the first, so that a network learns to spread what it carries over
    many channels and stays exact when it is computed in bf16. (The first layer gets its input in higher precision.)
    """

    def __init__(self, scale: int, expansion: int = 0, carry_luma: bool = False, jitter: float = 0.0) -> None:
        super().__init__()
        self.scale, self.jitter = scale, jitter
        layers = [FoldedConv(i, o, k, expansion) for i, o, k in BODY]
        layers.append(FoldedConv(BODY[-1][1], scale * scale, LAST_KERNEL, expansion))
        self.layers = nn.ModuleList(layers)
        if carry_luma:
            self.carry_luma()

    @torch.no_grad()
    def carry_luma(self) -> None:
        """Lets channel 0 carry the luma unchanged through the body and spreads it linearly in the last layer.

        Luma is never negative, so ReLU lets it pass; training then starts near linear interpolation instead of noise.
        """
        for layer in self.layers[:-1]:
            set_kernel_rows(layer, slice(0, 1), centre_tap(layer.direct[:1]))
        last = self.layers[-1]
        wanted = 0.1 * last.kernel()
        wanted[:, 0] = linear_kernels(self.scale)
        set_kernel_rows(last, slice(None), wanted)

    def forward(self, luma: Tensor) -> Tensor:
        jitter = self.jitter if self.training else 0.0
        x = functional.relu(self.layers[0](luma))
        for layer in self.layers[1:-1]:
            x = functional.relu(layer(x, jitter))
        return functional.pixel_shuffle(self.layers[-1](x, jitter), self.scale)

    @torch.no_grad()
    def start_from(self, weights: Mapping[str, np.ndarray]) -> None:
        """Takes over kernels and biases that plain_weights() gave, whatever the branches."""
        for number, layer in enumerate(self.layers, start=1):
            set_kernel_rows(layer, slice(None), torch.from_numpy(weights[f"conv{number}.weight"]))
            layer.bias.copy_(torch.from_numpy(weights[f"conv{number}.bias"]))

    def plain_weights(self) -> dict[str, np.ndarray]:
        """The four kernels and biases that give the same picture without branches; folded in double precision."""
        folded = {}
        for number, layer in enumerate(self.layers, start=1):
            exact = layer_copy(layer).double()
            folded[f"conv{number}.weight"] = exact.kernel().detach().float().cpu().numpy()
            folded[f"conv{number}.bias"] = exact.bias.detach().float().cpu().numpy()
        return folded


def layer_copy(layer: FoldedConv) -> FoldedConv:
    out, inside, size, _ = layer.direct.shape
    copy = FoldedConv(inside, out, size, 0)
    copy.expanded = layer.expanded
    for name, parameter in layer.named_parameters():
        setattr(copy, name, nn.Parameter(parameter.detach().cpu().clone()))
    return copy


def set_kernel_rows(layer: FoldedConv, rows: slice, wanted: Tensor) -> None:
    """Moves the direct branch so that the whole kernel becomes `wanted` in these output channels."""
    layer.direct[rows] += wanted - layer.kernel()[rows]


def centre_tap(like: Tensor) -> Tensor:
    """A kernel that passes input channel 0 and nothing else."""
    tap = torch.zeros_like(like)
    tap[:, 0, like.shape[2] // 2, like.shape[3] // 2] = 1.0
    return tap


def linear_kernels(scale: int) -> Tensor:
    """3x3 kernels of linear interpolation, one per position inside the enlarged pixel, in pixel-shuffle order."""
    offsets = (torch.arange(scale) + 0.5) / scale - 0.5
    taps = (1 - (offsets[:, None] - torch.tensor([-1.0, 0.0, 1.0])).abs()).clamp(min=0)
    return torch.einsum("ak,bl->abkl", taps, taps).reshape(scale * scale, 3, 3)
