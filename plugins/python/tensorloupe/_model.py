# SPDX-License-Identifier: Apache-2.0
"""What a model is: its modules, parameters and sources, as core/model/model_info.h has them."""

import functools
import inspect
import linecache
import os
import sys
import weakref

import torch

from ._aside import is_plain

_LONGEST_ATTRIBUTE = 200  # characters of a repr
_MOST_ITEMS = 16
_PLAIN = (bool, int, float, str, type(None), torch.dtype)
_LARGEST_SOURCE = 4 << 20  # characters of a file


def dtype_name(dtype):
    return str(dtype)[6:]  # "float32" of torch.float32


def bytes_of(tensor):
    return tensor.numel() * tensor.element_size()


def _tensor_info(name, tensor, storage_number):
    return {
        "name": name,
        "dtype": dtype_name(tensor.dtype),
        "shape": list(tensor.shape),
        "bytes": bytes_of(tensor),
        "requires_grad": bool(tensor.requires_grad),
        "storage_id": storage_number(tensor),
    }


def _attributes(module):
    """Of Python's own types alone: a program's classes are not asked for their text."""
    found = {}
    for name, value in list(vars(module).items()):
        is_plain_value = type(value) in _PLAIN or (
            type(value) in (tuple, list)
            and len(value) <= _MOST_ITEMS
            and all(type(each) in _PLAIN for each in value)
        )
        if is_plain_value and type(name) is str and not name.startswith("__"):
            text = repr(value)
            if len(text) <= _LONGEST_ATTRIBUTE:
                found[name] = text
    return found


def _hooks(module):
    names = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return sum(len(getattr(module, name, None) or ()) for name in names)


def _below(module, path=""):
    """(path, module) of a module and those in it, each once, parents first; by what it holds, not by methods that a
    program may have overridden."""
    seen, left = {id(module)}, [(path, module)]
    while left:
        path, module = left.pop()
        yield path, module
        inside = []
        for name, child in module._modules.items():
            if child is not None and id(child) not in seen:
                seen.add(id(child))
                inside.append((joined(path, name), child))
        left.extend(reversed(inside))


def joined(path, name):
    return f"{path}.{name}" if path else name


def _own_tensors(module):
    """(name, is a parameter, tensor) of those that are there."""
    for is_parameter, own in ((True, module._parameters), (False, module._buffers)):
        for name, tensor in own.items():
            if tensor is not None and not _is_unmaterialised(tensor):
                yield name, is_parameter, tensor


class ModuleTree:
    """The modules of one model or of several that ran side by side, by path; a shared one by its first path.

    None of them is held: of a model that is gone the rows stay that it had when it was added.
    """

    def __init__(self):
        self._paths = {}  # id(module): (the module, path)
        self._roots = []  # (path, the module, its rows)
        self._taken = set()
        self._tensors = {}  # id(tensor): (the tensor, path, name)

    def add(self, model, storage_number):
        """A second model gets its class as the first part of its paths."""
        name = ""
        if self._roots:
            name = base = type(model).__name__
            number = 2
            while name in self._taken:
                name, number = f"{base}_{number}", number + 1
            self._taken.add(name)
        for path, module in _below(model, name):
            if self.path(module) is None:
                self._paths[id(module)] = weakref.ref(module), path
            self._name_tensors(module, path)
        self._roots.append((name, weakref.ref(model), _rows(model, name, storage_number)))

    def _name_tensors(self, module, path):
        for own, _, tensor in _own_tensors(module):
            if self.tensor_name(tensor) is None:
                self._tensors[id(tensor)] = weakref.ref(tensor), path, joined(path, own)

    def path(self, module):
        """None: it belongs to none that was added."""
        reference, path = self._paths.get(id(module), _UNKNOWN)
        return path if reference() is module else None

    def tensor_name(self, tensor):
        """(path of the module, full name), or None."""
        found = self._tensors.get(id(tensor))
        return found[1:] if found is not None and found[0]() is tensor else None

    def named_parameters(self):
        """(name, path of the module, the module, parameter), each parameter once."""
        seen = set()
        for path, module in self._modules():
            for own, is_parameter, tensor in _own_tensors(module):
                if is_parameter and id(tensor) not in seen:
                    seen.add(id(tensor))
                    yield joined(path, own), path, module, tensor

    def tensors(self):
        """(name, path, is a parameter, tensor) of all parameters and buffers."""
        for path, module in self._modules():
            for name, is_parameter, tensor in _own_tensors(module):
                yield joined(path, name), path, is_parameter, tensor

    def _modules(self):
        seen = set()
        for name, reference, _ in self._roots:
            root = reference()
            for path, module in _below(root, name) if root is not None else ():
                if id(module) not in seen:
                    seen.add(id(module))
                    yield path, module

    def describe(self, storage_number):
        """Rows of ModelInfo::modules, the root first, parents before their children."""
        rows = []
        for name, reference, before in self._roots:
            root = reference()
            below = before if root is None else _rows(root, name, storage_number)
            first = len(rows)
            for row in below:
                parent = row["parent"]
                rows.append(dict(row, parent=parent + first if parent >= 0 else 0 if first else -1))
        if not rows:
            rows.append(_row(torch.nn.Module(), "", -1, storage_number))
            rows[0]["class_name"] = rows[0]["qualified_name"] = "no module"
        return rows


_UNKNOWN = (lambda: None, None)


def _rows(root, path, storage_number):
    """Of a module and those in it: at each place where one stands, but not in itself."""
    rows = []
    left = [(path, root, -1, frozenset())]
    while left:
        path, module, parent, around = left.pop()
        number = len(rows)
        rows.append(_row(module, path, parent, storage_number))
        around = around | {id(module)}
        inside = [
            (joined(path, name), child, number, around)
            for name, child in module._modules.items()
            if child is not None and id(child) not in around
        ]
        left.extend(reversed(inside))
    return rows


def _row(module, path, parent, storage_number):
    kind = type(module)
    rows = {True: [], False: []}
    for name, is_parameter, tensor in _own_tensors(module):
        if is_plain(tensor):
            rows[is_parameter].append(_tensor_info(joined(path, name), tensor, storage_number))
    whole = {
        id(tensor): tensor
        for _, below in _below(module)
        for _, is_parameter, tensor in _own_tensors(below)
        if is_parameter and is_plain(tensor)
    }
    return {
        "path": path,
        "class_name": kind.__name__,
        "qualified_name": f"{kind.__module__}.{kind.__qualname__}",
        "parent": parent,
        "attributes": _attributes(module),
        "training": bool(module.training),
        "hooks": _hooks(module),
        "parameter_count": sum(each.numel() for each in whole.values()),
        "parameter_bytes": sum(bytes_of(each) for each in whole.values()),
        "parameters": rows[True],
        "buffers": rows[False],
    }


def _is_unmaterialised(tensor):
    return isinstance(tensor, torch.nn.parameter.UninitializedTensorMixin)


@functools.lru_cache(maxsize=None)
def shown_path(file, folder):
    """Below that folder: without it."""
    if not file or file.startswith("<"):
        return file
    try:
        below = os.path.relpath(os.path.join(folder, file), folder)
    except (OSError, ValueError):  # on another drive
        return file
    return file if below.startswith(os.pardir) else below


def sources(files, folder):
    """The texts of the files that events name, as far as they can be read."""
    out = []
    for name in sorted(set(files)):
        # Of a notebook's cells too.
        text = "".join(linecache.getlines(name))
        if text and len(text) <= _LARGEST_SOURCE:
            out.append({"name": shown_path(name, folder), "text": text, "is_original": True})
    return out


def source_of(model):
    """The file of the model's class, or of the program; "" when neither is a file."""
    try:
        return os.path.abspath(inspect.getsourcefile(type(model)))
    except (TypeError, OSError):
        return os.path.abspath(sys.argv[0]) if sys.argv and os.path.isfile(sys.argv[0]) else ""
