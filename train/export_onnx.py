"""Writes trained weights as a small ONNX file: Conv and Relu nodes, then DepthToSpace.

The file names its input `luma` and its output `luma_xN`; batch, height and width are free.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 13
IR_VERSION = 7  # the oldest that belongs to this opset, so that old readers take the file
CONVOLUTIONS = 4


def convolution(number: int, source: str, target: str, size: int) -> onnx.NodeProto:
    inputs = [source, f"conv{number}.weight", f"conv{number}.bias"]
    return helper.make_node("Conv", inputs, [target], name=f"conv{number}", kernel_shape=[size, size],
                            strides=[1, 1], pads=[size // 2] * 4, dilations=[1, 1], group=1)


def nodes(weights: dict[str, np.ndarray], scale: int) -> list[onnx.NodeProto]:
    chain, source = [], "luma"
    for number in range(1, CONVOLUTIONS + 1):
        size = weights[f"conv{number}.weight"].shape[-1]
        chain.append(convolution(number, source, f"sum{number}", size))
        source = f"sum{number}"
        if number < CONVOLUTIONS:
            chain.append(helper.make_node("Relu", [source], [f"layer{number}"], name=f"relu{number}"))
            source = f"layer{number}"
    # with one output channel DCR and CRD are the same order; DCR is the one that every reader knows
    chain.append(helper.make_node("DepthToSpace", [source], [f"luma_x{scale}"], name="shuffle",
                                  blocksize=scale, mode="DCR"))
    return chain


def onnx_model(weights: dict[str, np.ndarray]) -> onnx.ModelProto:
    channels_out = weights[f"conv{CONVOLUTIONS}.weight"].shape[0]
    scale = round(channels_out**0.5)
    luma = helper.make_tensor_value_info("luma", TensorProto.FLOAT, ["batch", 1, "height", "width"])
    enlarged = helper.make_tensor_value_info(
        f"luma_x{scale}", TensorProto.FLOAT, ["batch", 1, f"height_x{scale}", f"width_x{scale}"])
    tensors = [numpy_helper.from_array(np.ascontiguousarray(weights[f"conv{n}.{part}"], np.float32), f"conv{n}.{part}")
               for n in range(1, CONVOLUTIONS + 1) for part in ("weight", "bias")]
    graph = helper.make_graph(nodes(weights, scale), f"espcn_x{scale}", [luma], [enlarged], tensors)
    model = helper.make_model(graph, producer_name="upres", opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = IR_VERSION
    onnx.checker.check_model(model, full_check=True)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", type=Path, nargs="+", help="the .npz files that train.py wrote")
    parser.add_argument("--output", type=Path, default=Path("models"))
    args = parser.parse_args()
    for file in args.weights:
        target = args.output / f"{file.stem}.onnx"
        with np.load(file) as weights:
            onnx.save(onnx_model(dict(weights)), target)
        print(f"{target}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
