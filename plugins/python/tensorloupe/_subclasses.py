# SPDX-License-Identifier: Apache-2.0
"""Tensor.as_subclass() under a mode, which PyTorch 1.13 fails at: its alias is a tensor of Python's by then."""

import functools

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ._aside import has_plain_class


class _Nothing(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        return function(*arguments, **(keywords or {}))


class _Probe(torch.Tensor):
    pass


def _fails():
    try:
        with _Nothing():
            torch.ones(()).as_subclass(_Probe)
        return False
    except RuntimeError:
        return True


_FAILS = _fails()


class Subclasses:
    """Between begin() and end() the mode is not asked about the alias; one that is above it is."""

    def __init__(self, mode):
        self._mode = mode
        self._wrapper = None

    def begin(self):
        if not _FAILS:
            return
        original = torch._C._TensorBase.as_subclass
        mode = self._mode

        @functools.wraps(original)
        def as_subclass(tensor, *arguments, **keywords):
            depth = torch._C._len_torch_dispatch_stack()
            is_ours = depth == 1 and torch._C._get_dispatch_stack_at(0) is mode
            if not is_ours or not has_plain_class(type(tensor)):
                return original(tensor, *arguments, **keywords)
            no_dispatch = torch._C._DisableTorchDispatch()  # until it is let go of
            try:
                return original(tensor, *arguments, **keywords)
            finally:
                del no_dispatch

        self._wrapper = as_subclass
        torch.Tensor.as_subclass = as_subclass

    def end(self):
        if self._wrapper is not None and torch.Tensor.__dict__.get("as_subclass") is self._wrapper:
            del torch.Tensor.as_subclass
        self._wrapper = None
