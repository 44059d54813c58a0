# SPDX-License-Identifier: Apache-2.0
"""reference.py SOURCE EXPRESSION FOLDER: what PyTorch computes of a model source, written to FOLDER.

The source is imported as a module of its package; EXPRESSION builds the model with seed 0. The first of INPUTS that its
forward takes goes into inputs.npz (arg0, arg1, ...), what it gives in eval mode into expected.npz (out0, out1, ...).
"""
import importlib
import inspect
import pathlib
import sys
import types

import numpy
import torch

# Shapes of one input; a forward that takes several gets several of the shape.
INPUTS = [
    (1, 3, 224, 224), (1, 3, 64, 64), (1, 1, 64, 64), (2, 3, 32, 32), (2, 16, 64), (2, 64), (2, 64, 16), (1, 1, 16000), (1, 16000), (2, 16),
    (2, 8, 32, 32), (4,), (2, 16, 32), (1, 3, 299, 299), (1, 1, 32, 32, 32), (2, 16, "int"), (1, 2, 16, 64), (2, 4, 16, 64), (1, 80, 100),
    (2, 512), (2, 768), (2, 512, 16), (2, 16, 512), (1, 3, 160, 160), (2, 3), (2, 2), (1, 3, 331, 331), (1, 128, 32), (2, 16, 3), (),
]


def required_arguments(model):
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(model.forward).parameters.values()
    return max(1, sum(each.kind in kinds and each.default is inspect.Parameter.empty for each in parameters))


def make(shape):
    if shape and shape[-1] == "int":
        return torch.randint(0, 16, shape[:-1])
    return torch.rand(shape)


def flat(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [each for key in sorted(value) for each in flat(value[key])]
    if isinstance(value, (list, tuple)):
        return [each for item in value for each in flat(item)]
    return []


def imported(name, root):
    """The module; where its package does not import whole, without the __init__.py of the packages above it."""
    try:
        return importlib.import_module(name)
    except Exception:
        top = name.split(".")[0]
        for each in [each for each in sys.modules if each.split(".")[0] == top]:
            del sys.modules[each]
        parts = name.split(".")
        for i in range(1, len(parts)):
            package = types.ModuleType(".".join(parts[:i]))
            package.__path__ = [str(root.joinpath(*parts[:i]))]
            sys.modules[package.__name__] = package
        return importlib.import_module(name)


def main():
    path, expression, folder = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], pathlib.Path(sys.argv[3])
    name = "" if path.stem == "__init__" else path.stem
    root = path.parent
    while (root / "__init__.py").exists():
        name = f"{root.name}.{name}" if name else root.name
        root = root.parent
    sys.path.insert(0, str(root))
    module = imported(name, root)
    torch.manual_seed(0)
    model = eval(expression, vars(module)).eval()
    last = None
    for shape in INPUTS:
        torch.manual_seed(1)
        arguments = [make(shape) for _ in range(required_arguments(model))]
        try:
            with torch.no_grad():
                torch.manual_seed(0)
                outputs = flat(model(*arguments))
        except Exception as error:
            last = error
            continue
        if not outputs or not all(torch.isfinite(each.float()).all() for each in outputs if not each.is_complex()):
            continue
        numpy.savez(folder / "inputs.npz", **{f"arg{i}": each.numpy() for i, each in enumerate(arguments)})
        numpy.savez(folder / "expected.npz", **{f"out{i}": each.float().numpy() if each.dtype == torch.bfloat16 else each.numpy()
                                                for i, each in enumerate(outputs)})
        return
    raise SystemExit(f"no input fits: {last}")


main()
