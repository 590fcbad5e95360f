"""Results that cannot be believed are computed again elsewhere, and otherwise refused."""

import numpy as np
import onnx
import pytest

from pictures import gradient, load, png_bytes, png_samples, save


def one_convolution(folder, name, weights, biases, factor):
    """A luma network of one convolution and, for factors above 1, a pixel shuffle."""
    weights, biases = (np.asarray(values, np.float32) for values in (weights, biases))
    conv_output = "features" if factor > 1 else "out"
    nodes = [onnx.helper.make_node("Conv", ["in", "w", "b"], [conv_output], name="conv", pads=[weights.shape[-1] // 2] * 4)]
    if factor > 1:
        nodes.append(onnx.helper.make_node("DepthToSpace", ["features"], ["out"], name="shuffle", blocksize=factor, mode="CRD"))
    value = lambda port: onnx.helper.make_tensor_value_info(port, onnx.TensorProto.FLOAT, [1, 1, "h_" + port, "w_" + port])
    graph = onnx.helper.make_graph(nodes, "g", [value("in")], [value("out")],
                                   [onnx.numpy_helper.from_array(weights, "w"), onnx.numpy_helper.from_array(biases, "b")])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, folder / name)
    return name


def nearest(factor):
    """Weights that repeat each sample."""
    return np.ones((factor * factor, 1, 1, 1)), np.zeros(factor * factor)


@pytest.fixture
def picture(upres):
    return save(upres.folder / "p.png", gradient(20, 16))


@pytest.mark.parametrize("device", ["cpu", "llvmpipe"])
@pytest.mark.parametrize("bias", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none(upres, llvmpipe, picture, device, bias):
    weights, biases = nearest(2)
    biases[1] = bias
    model = one_convolution(upres.folder, "bad.onnx", weights, biases, 2)
    done = upres("p.png", "-m", model, device=device, code=3)
    assert upres.files() == ["bad.onnx", "p.png"]
    assert ("NaN" in done.stderr) if np.isnan(bias) else ("infinite" in done.stderr)
    assert done.stderr.count("computing again") == (1 if device == "llvmpipe" else 0)


@pytest.mark.parametrize("device", ["cpu", "llvmpipe"])
def test_a_flat_result(upres, llvmpipe, device):
    model = one_convolution(upres.folder, "flat.onnx", np.zeros((4, 1, 1, 1)), np.full(4, 0.5), 2)
    save(upres.folder / "grey.png", gradient(20, 16, 1))
    save(upres.folder / "plain.png", np.full((16, 20, 1), 30, np.uint8))
    done = upres("grey.png", "plain.png", "-m", model, device=device, code=3)
    assert "flat" in done.stderr
    assert upres.files() == ["flat.onnx", "grey.png", "plain.png", "plain_x2.png"]
    assert (load(upres.folder / "plain_x2.png") == 128).all()


@pytest.mark.parametrize("device", ["cpu", "llvmpipe"])
@pytest.mark.parametrize("precision", ["auto", "fp32"])
def test_an_identity_changes_nothing(upres, llvmpipe, device, precision):
    model = one_convolution(upres.folder, "one.onnx", *nearest(1), 1)
    for channels in (1, 2, 3, 4):
        pixels = np.random.default_rng(channels).integers(0, 256, (16, 21, channels)).astype(np.uint8)
        save(upres.folder / "p.png", pixels)
        upres("p.png", "-m", model, "-o", "q.png", "--overwrite", "--precision", precision, device=device)
        result = load(upres.folder / "q.png").astype(int)
        if channels in (2, 4):  # colours under nothing are nobody's
            visible = pixels[..., -1:] > 0
            result, pixels = result * visible, pixels * visible
        assert (result == pixels).all(), channels


def test_an_identity_changes_nothing_in_16_bits(upres):
    model = one_convolution(upres.folder, "one.onnx", *nearest(1), 1)
    pixels = np.random.default_rng(1).integers(0, 65536, (16, 21, 1)).astype(np.uint16)
    (upres.folder / "p.png").write_bytes(png_bytes(pixels))
    upres("p.png", "-m", model, "-o", "q.png", "--precision", "fp32")
    assert (png_samples((upres.folder / "q.png").read_bytes()) == pixels).all()


def test_hidden_values_beyond_half_precision(upres):
    """Sums of 70000 inside: whatever form is chosen, the picture is right."""
    model = one_convolution(upres.folder, "large.onnx", np.ones((4, 1, 1, 1)) * 70000, np.full(4, -69999.5), 2)
    save(upres.folder / "p.png", gradient(20, 16, 1))
    upres("p.png", "-m", model, "-o", "auto.png")
    upres("p.png", "-m", model, "-o", "fp32.png", "--precision", "fp32")
    assert (load(upres.folder / "auto.png") == load(upres.folder / "fp32.png")).all()
