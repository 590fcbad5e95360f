"""What the embedded models reach on Set5, by the command itself."""

import json

import pytest

from pictures import load, save

LOWEST = {2: 36.9, 3: 33.0, 4: 30.6}
NAMES = ["baby", "bird", "butterfly", "head", "woman"]


@pytest.mark.parametrize("factor", [2, 3, 4])
@pytest.mark.parametrize("precision", ["auto", "fp32"])
def test_set5(upres, data, factor, precision):
    set5 = data / "images" / "Set5"
    inputs = [str(set5 / f"LR_x{factor}" / f"{name}.png") for name in NAMES]
    upres(*inputs, "-s", str(factor), "-o", "out", "--precision", precision)
    psnrs = []
    for name in NAMES:
        original = load(set5 / "GT" / f"{name}.png")
        height, width = (side - side % factor for side in original.shape[:2])
        save(upres.folder / "original.png", original[:height, :width])
        [result] = [json.loads(line) for line in upres.plain("compare", "original.png", f"out/{name}.png", "--shave", str(factor),
                                                             "--json").stdout.decode().splitlines()]
        psnrs.append(result["psnr_luma"])
    mean = sum(psnrs) / len(psnrs)
    assert mean >= LOWEST[factor]
    models = [json.loads(line) for line in upres.plain("models", "--json").stdout.decode().splitlines()]
    [told] = [model["quality"]["set5_psnr_luma_db"] for model in models if model["factor"] == factor]
    assert abs(mean - told) < 0.03, "the card tells what was measured"
