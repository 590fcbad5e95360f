"""Whole models on random pictures of odd sizes, `upres run` against ONNX Runtime: at most 1e-4 of the range apart."""

import os
import subprocess
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

UPRES = os.environ["UPRES_BIN"]
ROOT = Path(__file__).parents[2]
LAVAPIPE = sorted(Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json"))
LARGEST_DIFFERENCE = 1e-4

EMBEDDED = ["espcn_x2", "espcn_x3", "espcn_x4"]
OTHERS = ["super-resolution-10", "espcn_x3_opset10_other_weights", "espcn_x3_opset11_depthtospace", "espcn_x2_rgb",
          "espcn_x2_rgb_fp16"]
SIZES = [(1, 1), (1, 9), (13, 1), (7, 5), (31, 17), (64, 48), (101, 67)]  # width, height
DEVICES = ["cpu", "llvmpipe"]


def model_file(name: str) -> Path:
    if name in EMBEDDED:
        return ROOT / "models" / f"{name}.onnx"
    folder = os.environ.get("UPRES_TEST_DATA")
    if not folder:
        pytest.skip("UPRES_TEST_DATA is empty")
    return Path(folder) / "models" / f"{name}.onnx"


def with_free_sizes(file: Path) -> onnx.ModelProto:
    """The model for any size: those exported for one size say it in their inputs, outputs and shuffles."""
    model = onnx.load(file)
    constants = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in constants]
    for value in (*inputs, *model.graph.output):
        for i in (0, 2, 3):
            value.type.tensor_type.shape.dim[i].ClearField("dim_value")
            value.type.tensor_type.shape.dim[i].dim_param = f"{value.name}_{i}"
    model.graph.ClearField("value_info")
    return replace_fixed_shuffle(model)


def replace_fixed_shuffle(model: onnx.ModelProto) -> onnx.ModelProto:
    """Reshape-Transpose-Reshape of a fixed size, as PyTorch 1 exported pixel_shuffle, is DepthToSpace by definition."""
    nodes = list(model.graph.node)
    at = next((i for i, node in enumerate(nodes) if node.op_type == "Transpose"), None)
    if at is None:
        return model
    first, last = nodes[at - 1 if nodes[at - 1].op_type == "Reshape" else at - 2], nodes[-1]
    assert first.op_type == last.op_type == "Reshape"
    shape = next(onnx.numpy_helper.to_array(node.attribute[0].t) for node in nodes
                 if node.op_type == "Constant" and node.output[0] == first.input[1])
    block = int(shape[2])
    shuffle = onnx.helper.make_node("DepthToSpace", [first.input[0]], [last.output[0]], blocksize=block, mode="CRD")
    kept = [node for node in nodes if node.op_type not in ("Reshape", "Transpose", "Constant")]
    model.graph.ClearField("node")
    model.graph.node.extend([*kept, shuffle])
    for opset in model.opset_import:
        opset.version = max(opset.version, 11)  # DepthToSpace has had modes since
    return model


def expected(model: onnx.ModelProto, array: np.ndarray) -> np.ndarray:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: array})[0]


def run(model: Path, array: np.ndarray, device: str, folder: Path, *arguments: str) -> np.ndarray:
    np.save(folder / "in.npy", array)
    environment = os.environ | {"VK_ICD_FILENAMES": str(LAVAPIPE[0]), "VK_DRIVER_FILES": str(LAVAPIPE[0])} if LAVAPIPE else None
    done = subprocess.run([UPRES, "run", str(model), "in.npy", "-o", "out.npy", "--overwrite", "--device", device, *arguments], cwd=folder,
                          env=environment, capture_output=True, text=True, check=False)
    if device != "cpu" and done.returncode == 3 and not os.environ.get("UPRES_REQUIRE_DEVICE"):
        pytest.skip(f"no device {device}")
    assert done.returncode == 0, done.stderr
    return np.load(folder / "out.npy")


def random_picture(model: onnx.ModelProto, width: int, height: int) -> np.ndarray:
    value = model.graph.input[0].type.tensor_type
    dtype = onnx.helper.tensor_dtype_to_np_dtype(value.elem_type)
    generator = np.random.default_rng(width * 1000 + height)
    return generator.random((1, value.shape.dim[1].dim_value, height, width)).astype(dtype)


# fp16 results are told in steps of 2^-11 below 1.
def allowed(dtype: np.dtype) -> float:
    return LARGEST_DIFFERENCE + (2.0**-10 if dtype == np.float16 else 0)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", EMBEDDED + OTHERS)
def test_model(name, device, tmp_path):
    file = model_file(name)
    model = with_free_sizes(file)
    for width, height in SIZES:
        array = random_picture(model, width, height)
        ours, theirs = run(file, array, device, tmp_path), expected(model, array)
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        difference = np.abs(ours.astype(np.float64) - theirs).max()
        assert difference <= allowed(ours.dtype), (width, height, difference)


@pytest.mark.parametrize("device", DEVICES)
def test_the_declared_size_as_it_is(device, tmp_path):
    """Without touching the model: 224x224 as super-resolution-10 declares."""
    file = model_file("super-resolution-10")
    model = onnx.load(file)
    array = random_picture(model, 224, 224)
    difference = np.abs(run(file, array, device, tmp_path) - expected(model, array)).max()
    assert difference <= LARGEST_DIFFERENCE


@pytest.mark.parametrize("device", DEVICES)
def test_by_tiles(device, tmp_path):
    file = model_file("espcn_x3")
    array = random_picture(onnx.load(file), 71, 58)
    whole = run(file, array, device, tmp_path)
    for tile in ("29", "40"):
        assert (run(file, array, device, tmp_path, "--tile", tile) == whole).all()
