# SPDX-License-Identifier: Apache-2.0
"""Writes expected_models.txt: the parameters and buffers that PyTorch finds in each fixture model.

A line is: file, "parameter" or "buffer", name, dtype, shape, requires_grad, sum of the elements in float64.
"""

import pathlib

import torch
import torchvision  # registers the operators that a fixture calls

HERE = pathlib.Path(__file__).parent
MODELS = HERE.parent / "fixtures" / "models"


def total(tensor):
    values = tensor.detach().to(torch.complex128 if tensor.is_complex() else torch.float64)
    return (values.real if tensor.is_complex() else values).sum().item()


def lines(path):
    module = torch.jit.load(str(path))
    for kind, named in ("parameter", module.named_parameters()), ("buffer", module.named_buffers()):
        for name, tensor in named:
            shape = "x".join(map(str, tensor.shape)) or "scalar"
            yield f"{path.name} {kind} {name} {str(tensor.dtype)[6:]} {shape} {int(tensor.requires_grad)} {total(tensor)!r}"


def main():
    text = "".join(line + "\n" for path in sorted(MODELS.glob("*.pt")) for line in lines(path))
    (HERE / "expected_models.txt").write_text(text)


if __name__ == "__main__":
    main()
