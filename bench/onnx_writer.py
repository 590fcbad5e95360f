"""Writes small ONNX models without the onnx package: just enough of the protobuf wire format for the benchmarks.

Field numbers are those of onnx.proto (ModelProto, GraphProto, NodeProto, TensorProto).
"""

import numpy as np

FLOAT = 1
INT64 = 7


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, data):
    if isinstance(data, str):
        data = data.encode()
    return varint(field << 3 | 2) + varint(len(data)) + data


def attribute_int(name, value):
    return block(5, block(1, name) + number(3, value) + number(20, 2))


def attribute_ints(name, values):
    return block(5, block(1, name) + b"".join(number(8, v) for v in values) + number(20, 7))


def attribute_string(name, value):
    return block(5, block(1, name) + block(4, value) + number(20, 3))


def node(op, name, inputs, outputs, *attributes):
    body = b"".join(block(1, i) for i in inputs) + b"".join(block(2, o) for o in outputs)
    return block(1, body + block(3, name) + block(4, op) + b"".join(attributes))


def initializer(name, array):
    array = np.ascontiguousarray(array, dtype=np.float32)
    dims = b"".join(number(1, d) for d in array.shape)
    return block(5, dims + number(2, FLOAT) + block(8, name) + block(9, array.tobytes()))


def tensor_info(field, name, dims):
    """dims: a number, or a string for a free dimension."""
    shape = b"".join(block(1, number(1, d) if isinstance(d, int) else block(2, d)) for d in dims)
    return block(field, block(1, name) + block(2, block(1, number(1, FLOAT) + block(2, shape))))


def model(graph_parts, opset=13):
    graph = b"".join(graph_parts) + block(2, "benchmark")
    return number(1, 7) + block(2, "upres bench") + block(7, graph) + block(8, block(1, "") + number(2, opset))


def espcn(factor, seed=1):
    """The seed network, 1 -> 64 (5x5) -> 64 (3x3) -> 32 (3x3) -> factor^2 (3x3) -> pixel shuffle, with random weights
    of a scale that keeps the signal (He et al. 2015)."""
    rng = np.random.default_rng(seed)
    parts = []
    value = "input"
    layers = [(1, 64, 5), (64, 64, 3), (64, 32, 3), (32, factor * factor, 3)]
    for index, (inputs, outputs, kernel) in enumerate(layers, 1):
        deviation = (2.0 / (inputs * kernel * kernel)) ** 0.5
        weights = rng.normal(0, deviation, (outputs, inputs, kernel, kernel))
        parts.append(initializer(f"w{index}", weights))
        parts.append(initializer(f"b{index}", rng.normal(0, 0.05, outputs)))
        pads = attribute_ints("pads", [kernel // 2] * 4)
        parts.append(node("Conv", f"conv{index}", [value, f"w{index}", f"b{index}"], [f"c{index}"],
                          attribute_ints("kernel_shape", [kernel, kernel]), pads))
        value = f"c{index}"
        if index < len(layers):
            parts.append(node("Relu", f"relu{index}", [value], [f"r{index}"]))
            value = f"r{index}"
    parts.append(node("DepthToSpace", "shuffle", [value], ["output"], attribute_int("blocksize", factor),
                      attribute_string("mode", "CRD")))
    parts.append(tensor_info(11, "input", [1, 1, "height", "width"]))
    parts.append(tensor_info(12, "output", [1, 1, "height_out", "width_out"]))
    return model(parts)
