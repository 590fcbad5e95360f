#!/usr/bin/env python3
"""Turns compiled kernels into C++ data: the words of each module and the interface that its source declares.

    embed_kernels.py --target demo --folder build/demo_kernels conv_naive conv_tile ...

reads FOLDER/NAME.spv and FOLDER/NAME.json (slangc's reflection) and writes FOLDER/TARGET_kernels.h and .cpp with one
vkc::KernelSource a kernel in the namespace TARGET_kernels. See cmake/VkcKernels.cmake and include/vkc/kernel_source.h.
"""

import argparse
import json
import pathlib
import struct
import sys

MAGIC = 0x07230203
OP_TYPE_BOOL, OP_TYPE_INT, OP_TYPE_FLOAT = 20, 21, 22
OP_SPEC_CONSTANT_TRUE, OP_SPEC_CONSTANT_FALSE, OP_SPEC_CONSTANT = 48, 49, 50
OP_DECORATE, DECORATION_SPEC_ID = 71, 1

SCALAR_TYPES = {"bool": "boolean"} | {
    f"{kind}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)
} | {f"float{bits}": f"float{bits}" for bits in (16, 32, 64)}

HEADER = """// Made by tools/embed_kernels.py; do not edit.
#pragma once

#include <span>
#include <string_view>

#include <vkc/kernel_source.h>

namespace {target}_kernels {{

{declarations}

// Every kernel, in the order of the build's list.
std::span<const vkc::KernelSource* const> all();
// The kernel of that name, null if there is none.
const vkc::KernelSource* find(std::string_view name);

}}  // namespace {target}_kernels
"""

SOURCE = """// Made by tools/embed_kernels.py; do not edit.
#include "{target}_kernels.h"

#include <array>
#include <cstdint>

namespace {target}_kernels {{
{definitions}
namespace {{
constexpr std::array<const vkc::KernelSource*, {count}> kAll = {{{pointers}}};
}}  // namespace

std::span<const vkc::KernelSource* const> all() {{ return kAll; }}

const vkc::KernelSource* find(std::string_view name) {{
  for (const vkc::KernelSource* kernel : kAll) {{
    if (kernel->name == name) return kernel;
  }}
  return nullptr;
}}

}}  // namespace {target}_kernels
"""


class KernelError(Exception):
    """A kernel that cannot be embedded, and why."""


def read_words(path):
    data = path.read_bytes()
    if len(data) < 20 or len(data) % 4:
        raise KernelError(f"{path}: not a SPIR-V module")
    words = struct.unpack(f"<{len(data) // 4}I", data)
    if words[0] != MAGIC:
        raise KernelError(f"{path}: not a SPIR-V module (wrong magic number)")
    return words


def instructions(words):
    at = 5
    while at < len(words):
        length = words[at] >> 16
        if length == 0 or at + length > len(words):
            raise KernelError("SPIR-V instruction runs past the end of the module")
        yield words[at] & 0xFFFF, words[at + 1 : at + length]
        at += length


def constant_defaults(words):
    """The bits of each specialization constant's default, by its id for the API."""
    spec_ids, bits = {}, {}
    for op, operands in instructions(words):
        if op == OP_DECORATE and operands[1] == DECORATION_SPEC_ID:
            spec_ids[operands[0]] = operands[2]
        elif op in (OP_SPEC_CONSTANT_TRUE, OP_SPEC_CONSTANT_FALSE):
            bits[operands[1]] = int(op == OP_SPEC_CONSTANT_TRUE)
        elif op == OP_SPEC_CONSTANT:
            bits[operands[1]] = operands[2] | (operands[3] << 32 if len(operands) > 3 else 0)
    return {spec_ids[result]: value for result, value in bits.items() if result in spec_ids}


def scalar_type(described):
    if described.get("kind") == "vector":
        described = described["elementType"]
    return SCALAR_TYPES.get(described.get("scalarType"), "other")


def masked(kind, bits):
    """Bits without the sign extension that SPIR-V gives to narrow integers."""
    width = int("".join(filter(str.isdigit, kind)) or 1)
    return None if bits is None else bits & ((1 << width) - 1)


def parameter_binding(parameter, kind):
    """The parameter's binding of that kind, or None; a parameter may have one or several."""
    found = parameter.get("bindings", [parameter["binding"]] if "binding" in parameter else [])
    return next((binding for binding in found if binding.get("kind") == kind), None)


class Interface:
    """What a kernel's source declares, out of slangc's reflection."""

    def __init__(self, reflection, defaults):
        self.constants, self.bindings, self.push_constants = [], [], []
        entry_points = reflection.get("entryPoints", [])
        if len(entry_points) != 1 or entry_points[0].get("stage") != "compute":
            raise KernelError("a kernel's file needs exactly one entry point, marked [shader(\"compute\")]")
        for parameter in reflection.get("parameters", []) + entry_points[0].get("parameters", []):
            self._add(parameter, defaults)

    def _add(self, parameter, defaults):
        name = parameter["name"]
        if constant := parameter_binding(parameter, "specializationConstant"):
            index, kind = constant["index"], scalar_type(parameter["type"])
            self.constants.append((name, index, kind, masked(kind, defaults.get(index))))
        elif parameter_binding(parameter, "pushConstantBuffer"):
            for field in parameter["type"]["elementType"].get("fields", []):
                place = field["binding"]
                self.push_constants.append((field["name"], place["offset"], place["size"], scalar_type(field["type"])))
        elif slot := parameter_binding(parameter, "descriptorTableSlot"):
            self.bindings.append((name, slot.get("space", 0), slot["index"]))
        elif "semanticName" not in parameter and "binding" in parameter:
            raise KernelError(f"parameter {name} is neither a constant, a resource nor the push-constant block; "
                              "put plain values into one [[vk::push_constant]] ConstantBuffer")


def words_text(words):
    lines = []
    for at in range(0, len(words), 12):
        lines.append("    " + " ".join(f"0x{word:08x}," for word in words[at : at + 12]))
    return "\n".join(lines)


def array_text(kernel, what, kind, rows):
    if not rows:
        return "", "{}"
    body = "\n".join(f"    {{{row}}}," for row in rows)
    text = f"constexpr std::array<{kind}, {len(rows)}> k_{kernel}_{what} = {{{{\n{body}\n}}}};\n"
    return text, f"k_{kernel}_{what}"


def kernel_text(kernel, words, interface):
    constants = [
        f'"{name}", {index}, vkc::ScalarType::{kind}, ' + ("{}" if default is None else f"std::uint64_t{{{default}u}}")
        for name, index, kind, default in interface.constants
    ]
    bindings = [f'"{name}", {space}, {index}' for name, space, index in interface.bindings]
    pushes = [
        f'"{name}", {offset}, {size}, vkc::ScalarType::{kind}' for name, offset, size, kind in interface.push_constants
    ]
    constants_text, constants_name = array_text(kernel, "constants", "vkc::DeclaredConstant", constants)
    bindings_text, bindings_name = array_text(kernel, "bindings", "vkc::DeclaredBinding", bindings)
    pushes_text, pushes_name = array_text(kernel, "push_constants", "vkc::DeclaredPushConstant", pushes)
    return (
        f"\nnamespace {{\nconstexpr std::array<std::uint32_t, {len(words)}> k_{kernel}_spirv = {{\n{words_text(words)}\n}};\n"
        f"{constants_text}{bindings_text}{pushes_text}}}  // namespace\n"
        f'constinit const vkc::KernelSource {kernel} = {{"{kernel}", k_{kernel}_spirv, {constants_name}, {bindings_name}, {pushes_name}}};\n'
    )


def embed(target, folder, kernels):
    definitions = []
    for kernel in kernels:
        try:
            words = read_words(folder / f"{kernel}.spv")
            reflection = json.loads((folder / f"{kernel}.json").read_text(encoding="utf-8"))
            definitions.append(kernel_text(kernel, words, Interface(reflection, constant_defaults(words))))
        except (KernelError, ValueError, KeyError, OSError) as error:
            raise KernelError(f"kernel {kernel}: {error}") from error
    declarations = "\n".join(f"extern const vkc::KernelSource {kernel};" for kernel in kernels)
    (folder / f"{target}_kernels.h").write_text(HEADER.format(target=target, declarations=declarations), encoding="utf-8")
    (folder / f"{target}_kernels.cpp").write_text(
        SOURCE.format(
            target=target,
            definitions="".join(definitions),
            count=len(kernels),
            pointers=", ".join(f"&{kernel}" for kernel in kernels),
        ),
        encoding="utf-8",
    )


def main():
    parser = argparse.ArgumentParser(description="Embed compiled kernels into C++ data")
    parser.add_argument("--target", required=True, help="name of the library; the namespace is TARGET_kernels")
    parser.add_argument("--folder", required=True, type=pathlib.Path, help="where NAME.spv and NAME.json are")
    parser.add_argument("kernels", nargs="+", help="names of the kernels")
    arguments = parser.parse_args()
    try:
        embed(arguments.target, arguments.folder, arguments.kernels)
    except KernelError as error:
        sys.exit(f"embed_kernels.py: {error}")


if __name__ == "__main__":
    main()
