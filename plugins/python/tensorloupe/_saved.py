# SPDX-License-Identifier: Apache-2.0
"""The blocks that nodes of autograd keep, without a call of the program's hooks for saved tensors.

Reading node._saved_x unpacks it. SavedTensor.data does not (PyTorch 2.8 and later); before, nodes that were made while
hooks were in force are not looked at.
"""

import threading

import torch

from ._tensors import tensors_in

_autograd = torch._C._autograd
_READS_RAW = hasattr(_autograd.SavedTensor, "unpack_hook")
_top = getattr(_autograd, "_top_saved_tensors_default_hooks", None)


class _Pushed(threading.local):
    count = 0


class SavedHooks:
    """Are hooks for saved tensors in force on this thread?"""

    def __init__(self):
        self._here = _Pushed()
        self._replaced = {}

    def begin(self):
        """Where PyTorch does not say it, it is counted."""
        if _READS_RAW or _top is not None:
            return
        for name, step in (("_push_saved_tensors_default_hooks", 1), ("_pop_saved_tensors_default_hooks", -1)):
            original = getattr(_autograd, name)
            self._replaced[name] = original, self._counting(original, step)
            setattr(_autograd, name, self._replaced[name][1])

    def _counting(self, original, step):
        def counting(*arguments):
            original(*arguments)
            self._here.count += step

        return counting

    def end(self):
        for name, (original, replacement) in self._replaced.items():
            if getattr(_autograd, name) is replacement:
                setattr(_autograd, name, original)
        self._replaced = {}

    def are_in_force(self):
        if _READS_RAW:
            return False
        return _top(True) is not None if _top is not None else self._here.count > 0


_names = {}  # by type of node


def _names_of(kind):
    found = _names.get(kind)
    if found is None:
        # Nodes of torch.autograd.Function have attributes of the program's.
        own = [] if issubclass(kind, torch.autograd.function.BackwardCFunction) else dir(kind)
        found = _names[kind] = [name for name in own if name.startswith("_raw_saved_")]
    return found


def saved_by(node):
    """(tensors, was one hidden by a hook)"""
    found, is_hidden = [], False
    for name in _names_of(type(node)):
        try:
            if not _READS_RAW:
                found += tensors_in(getattr(node, name.replace("_raw", "", 1)))
                continue
            raw = getattr(node, name)
            for each in raw if isinstance(raw, (list, tuple)) else (raw,):
                if each.unpack_hook is not None:
                    is_hidden = True
                elif isinstance(each.data, torch.Tensor):
                    found.append(each.data)
        except RuntimeError:  # it has been let go of, or was written in place
            continue
    return found, is_hidden
