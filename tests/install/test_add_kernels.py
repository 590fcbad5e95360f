"""vkc_add_kernels refuses names and variants that cannot be meant, when CMake runs."""

import os
import subprocess
from pathlib import Path

import pytest

CMAKE, SOURCE = os.environ["UPRES_CMAKE"], Path(os.environ["UPRES_SOURCE"])


def configured(folder: Path, arguments: str, files=("scale.slang",)) -> str:
    """What CMake says to vkc_add_kernels(demo ...), on one line."""
    for name in files:
        (folder / name).write_text("#ifndef STORED\n#define STORED float\n#endif\n")
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(demo LANGUAGES NONE)\n"
        f"include({SOURCE}/cmake/VkcKernels.cmake)\nset(VKC_SLANGC /nonexistent/slangc)\nvkc_add_kernels(demo {arguments})\n")
    done = subprocess.run([CMAKE, "-S", folder, "-B", folder / "build", "-G", "Ninja"], capture_output=True, text=True,
                          check=False)
    assert done.returncode != 0
    return " ".join(done.stderr.split())


@pytest.mark.parametrize("name", ["two-words.slang", "2x.slang", "a b.slang", "a.b.slang", "_a.slang", "für.slang", "a|b.slang"])
def test_files_that_are_no_identifiers(tmp_path, name):
    said = configured(tmp_path, f'FILES scale.slang "{name}"', ("scale.slang", name))
    assert f'would be called "{name[:-6]}", which is no C++ identifier' in said


@pytest.mark.parametrize("name", ["all", "find", "float"])
def test_files_whose_names_are_taken(tmp_path, name):
    assert "is a keyword of C++ or a function" in configured(tmp_path, f"FILES {name}.slang", (f"{name}.slang",))


@pytest.mark.parametrize("arguments, message", [
    ("FILES scael.slang", "there is no file"),
    ("FILES scale.slang ./scale.slang", "there is another file of that name"),
    ("FILES", "no file is given"),
    ("scale.slang", 'what is "scale.slang"?'),
    ('FILES scale.slang VARIANTS "scael half STORED=half"', 'is of "scael", which is no file of FILES; there are: scale'),
    ('FILES scale.slang VARIANTS "scale"', 'a variant is "stem variant DEFINE=VALUE ..."'),
    ('FILES scale.slang VARIANTS "scale half"', "defines nothing"),
    ('FILES scale.slang VARIANTS "scale STORED=half"', 'would be called "scale_STORED=half"'),
    ('FILES scale.slang VARIANTS "scale half -DSTORED=half"', '"-DSTORED=half" is not DEFINE or DEFINE=VALUE'),
    ('FILES scale.slang VARIANTS "scale half STORD=half"', "defines STORD, which neither"),
    ('FILES scale.slang VARIANTS "scale half STORED=half STORED=float"', "defines STORED twice"),
    ('FILES scale.slang VARIANTS "scale half STORED=half" "scale half STORED=float"', 'there is another kernel "scale_half"'),
])
def test_typing_errors(tmp_path, arguments, message):
    assert message in configured(tmp_path, arguments)


def test_what_is_right_gets_as_far_as_the_compiler(tmp_path):
    said = configured(tmp_path, 'FILES scale.slang VARIANTS "scale half STORED=half" "scale two STORED=half _OTHER=1"',
                      ("scale.slang", ))
    assert "defines _OTHER" in said
    (tmp_path / "shared.slang").write_text("#ifdef _OTHER\n#endif\n")
    said = configured(tmp_path, 'FILES scale.slang VARIANTS "scale half STORED=half" "scale two STORED=half _OTHER=1"')
    assert "VKC_SLANGC=/nonexistent/slangc does not exist" in said
