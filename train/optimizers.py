"""Optimizers whose step can be recorded in a CUDA graph: the learning rate is a tensor, nothing asks the host."""

from __future__ import annotations

import torch
from torch import Tensor, nn

# Newton-Schulz coefficients of the quintic iteration that pushes all singular values towards one.
QUINTIC = (3.4445, -4.7750, 2.0315)


class Muon(torch.optim.Optimizer):
    """Momentum whose update is made orthogonal, for kernels seen as (channels out) x (everything else) matrices.

    The update's root mean square is `0.2 * rate`, about that of Adam.
    """

    def __init__(self, parameters: list[nn.Parameter], rate: Tensor, momentum: float = 0.95) -> None:
        super().__init__(parameters, {"rate": rate, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:
        for group in self.param_groups:
            for p in group["params"]:
                memory = self.state[p].setdefault("memory", torch.zeros_like(p))
                memory.lerp_(p.grad, 1 - group["momentum"])
                update = orthogonal(torch.lerp(p.grad, memory, group["momentum"]).flatten(1))
                size = 0.2 * max(update.shape) ** 0.5
                p.sub_(update.reshape(p.shape) * (group["rate"] * size))


def orthogonal(matrix: Tensor, iterations: int = 5) -> Tensor:
    """Roughly the nearest matrix with orthogonal rows (or columns); bf16 is exact enough for a direction."""
    a, b, c = QUINTIC
    x = matrix.T if matrix.shape[0] > matrix.shape[1] else matrix
    x = (x / (x.norm() + 1e-12)).bfloat16()
    for _ in range(iterations):
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    x = x.to(matrix.dtype)
    return x.T if matrix.shape[0] > matrix.shape[1] else x


def make_optimizers(name: str, model: nn.Module, rate: Tensor) -> list[torch.optim.Optimizer]:
    """adam: Adam for all; muon: Muon for matrices and kernels between layers, Adam for biases, first and last layer."""
    inner: list[nn.Parameter] = []
    if name == "muon":
        inner = [p for layer in model.layers[1:-1] for p in layer.parameters() if p.dim() > 1]
    rest = [p for p in model.parameters() if not any(p is q for q in inner)]
    on_gpu = rate.is_cuda
    adam = torch.optim.Adam(rest, lr=rate, betas=(0.9, 0.99), fused=True if on_gpu else None, capturable=on_gpu)
    return [adam, Muon(inner, rate)] if inner else [adam]
