# SPDX-License-Identifier: Apache-2.0
"""Where in the user's source a call is made, and whether backward or an optimiser is under way."""

import os
import sys

import torch

FORWARD, BACKWARD, OPTIMIZER = range(3)

# As their functions say it: a path that leads there another way is not how Python calls it.
_TORCH = os.path.dirname(torch.Tensor.backward.__code__.co_filename) + os.sep
_OPTIMIZERS = os.path.join(_TORCH, "optim") + os.sep
_AUTOGRAD = os.path.join(_TORCH, "autograd", "__init__.py")
_ENGINES = (_AUTOGRAD, os.path.join(_TORCH, "autograd", "graph.py"))  # who calls the engine, by release
_DYNAMO = os.path.join(_TORCH, "_dynamo") + os.sep
_OWN = os.path.dirname((lambda: 0).__code__.co_filename) + os.sep
_MOST_FRAMES = 400  # of Python, looked through for the line of the user's


class Places:
    def __init__(self):
        self._kinds = {}  # by code: 0 the user's, 1 PyTorch's, 2 an optimiser's, 3 autograd's

    def _kind(self, code):
        name = code.co_filename
        if name == _AUTOGRAD and code.co_name in ("backward", "grad"):
            kind = 3
        elif name.startswith(_OPTIMIZERS):
            kind = 2
        elif name.startswith((_TORCH, _OWN, "<frozen", "<eval_with_key")) or name.endswith("runpy.py"):
            kind = 1
        else:
            kind = 0
        self._kinds[code] = kind
        return kind

    def of(self, frame):
        """(file, line, phase) of a call out of this frame."""
        phase = FORWARD
        kinds = self._kinds
        for _ in range(_MOST_FRAMES):
            if frame is None:
                break
            code = frame.f_code
            kind = kinds.get(code)
            if kind is None:
                kind = self._kind(code)
            if kind == 0:
                return code.co_filename, frame.f_lineno, phase
            if kind == 2 and phase == FORWARD:
                phase = OPTIMIZER
            elif kind == 3:
                phase = BACKWARD
            frame = frame.f_back
        return "", 0, phase


def caller():
    """The frame that an operator was called from: neither the package's nor what PyTorch 2 puts around a mode."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_OWN, _DYNAMO)):
        frame = frame.f_back
    return frame


def is_engine(frame):
    """The call is autograd's own."""
    return frame.f_code.co_filename in _ENGINES
