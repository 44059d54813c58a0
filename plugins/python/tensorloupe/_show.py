# SPDX-License-Identifier: Apache-2.0
import os
import tempfile

import torch

from ._program import open_window


def export(model, inputs, folder, keywords=None):
    """The model as a file that Tensorloupe runs: an exported program, or TorchScript where it cannot be exported.

    Returns its path. Raises RuntimeError that says both reasons.
    """
    name = type(model).__name__
    reasons = []
    if hasattr(torch, "export") and hasattr(torch.export, "save"):
        try:
            path = os.path.join(folder, f"{name}.pt2")
            torch.export.save(torch.export.export(model, inputs, keywords or {}), path)
            return path
        except Exception as error:  # whatever the exporter meets in the model
            reasons.append(f"torch.export: {_line(error)}")
    try:
        path = os.path.join(folder, f"{name}.pt")
        if keywords:
            traced = torch.jit.trace(model, example_kwarg_inputs=keywords) if not inputs else None
            if traced is None:
                raise RuntimeError("inputs by name and by place at once")
        else:
            traced = torch.jit.trace(model, inputs)
        torch.jit.save(traced, path)
        return path
    except Exception as error:
        reasons.append(f"torch.jit.trace: {_line(error)}")
    raise RuntimeError(f"{name} can be neither exported nor traced; record() works: " + "; ".join(reasons))


def _line(error):
    return (str(error).strip() or type(error).__name__).partition("\n")[0]


def show(model, *inputs, wait=False, **keywords):
    """Opens Tensorloupe's window on a model with these inputs, where it can be run, stepped through and changed.

    wait: returns when the window is closed. Returns the process of the window.
    """
    folder = tempfile.mkdtemp(prefix="tensorloupe-")
    path = export(model, inputs, folder, keywords)
    given = os.path.join(folder, "inputs.pt")
    torch.save(tuple(each.detach().cpu() if isinstance(each, torch.Tensor) else each for each in inputs), given)
    arguments = [path] + (["--inputs", given] if inputs else [])
    return open_window(*arguments, wait=wait)
