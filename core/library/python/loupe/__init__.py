# SPDX-License-Identifier: Apache-2.0
"""The engine of Tensorloupe for Python programs.

    import loupe
    model = loupe.open("resnet18.pt").eval()
    scores = model(loupe.randn(1, 3, 224, 224))
    scores[0, 7].backward()
    run = model.record(loupe.randn(1, 3, 224, 224), backward=True)
    run.save("step.loupe")

Names that are not below are torch's: loupe.nn, loupe.optim, loupe.softmax, tensors and their methods. They are the
engine's own; PyTorch need not be there.
"""

import importlib.abc
import importlib.machinery
import sys
import types

from ._engine import (
    Error,
    Event,
    Model,
    Object,
    Recording,
    Tensor,
    Value,
    __version__,
    from_buffer,
    from_dlpack,
    import_module,
    open,
    open_recording,
)
from ._arrays import Size, copied as _copied, is_array as _is_array

_torch = import_module("torch")
_own = sorted(name for name in globals() if not name.startswith("_"))


def from_numpy(array):
    """A tensor over the array's memory: what is written to one is seen in the other."""
    return from_buffer(array)


def tensor(data, *, dtype=None, device=None, requires_grad=False):
    """torch.tensor: a copy of numbers, nested lists of them, an array, or a list of arrays."""
    if isinstance(data, (list, tuple)) and any(map(_is_array, data)):
        import numpy

        data = numpy.array([numpy.asarray(each) for each in data])
    if not _is_array(data):
        return _torch.tensor(data, dtype=dtype, device=device, requires_grad=requires_grad)
    made = _copied(data)
    if dtype is not None:
        made = made.to(dtype)
    if device is not None:
        made = made.to(device)
    return made.requires_grad_(requires_grad)


def as_tensor(data, dtype=None, device=None):
    """torch.as_tensor: shares an array's memory where that can be."""
    if not _is_array(data):
        return _torch.as_tensor(data, dtype=dtype, device=device)
    try:
        made = from_dlpack(data) if hasattr(data, "__dlpack__") else from_buffer(data)
    except (BufferError, ValueError, Error):
        made = _copied(data)
    if dtype is not None:
        made = made.to(dtype)
    return made if device is None else made.to(device)


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module 'loupe' has no attribute '{name}'")
    try:
        return getattr(_torch, name)
    except AttributeError:
        raise AttributeError(f"module 'loupe' has no attribute '{name}'") from None


def __dir__():
    return sorted({*_own, "as_tensor", "from_numpy", "tensor", *dir(_torch)})


class _EngineModule(types.ModuleType):
    """loupe.nn.functional: what the engine's torch.nn.functional has."""

    def __getattr__(self, name):
        return getattr(self.__dict__["_engine_module"], name)

    def __dir__(self):
        return dir(self.__dict__["_engine_module"])


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """import loupe.nn.functional as F."""

    def find_spec(self, fullname, path=None, target=None):
        root, _, rest = fullname.partition(".")
        if root != __name__ or not rest or rest.startswith("_"):
            return None
        try:
            found = import_module("torch." + rest)
        except ImportError:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, loader_state=found, is_package=True)

    def create_module(self, spec):
        module = _EngineModule(spec.name)
        module.__dict__["_engine_module"] = spec.loader_state
        return module

    def exec_module(self, module):
        pass


sys.meta_path.append(_Finder())
