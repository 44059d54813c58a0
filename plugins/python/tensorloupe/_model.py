# SPDX-License-Identifier: Apache-2.0
"""What a model is: its modules, parameters and sources, as core/model/model_info.h has them."""

import functools
import inspect
import linecache
import os
import sys

import torch

_LONGEST_ATTRIBUTE = 200  # characters of a repr
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
    found = {}
    for name, value in vars(module).items():
        is_plain = isinstance(value, (bool, int, float, str, type(None), torch.dtype)) or (
            isinstance(value, (tuple, list))
            and len(value) <= 16
            and all(isinstance(each, (bool, int, float, str)) for each in value)
        )
        if is_plain and not name.startswith("__"):
            text = repr(value)
            if len(text) <= _LONGEST_ATTRIBUTE:
                found[name] = text
    return found


def _hooks(module):
    names = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return sum(len(getattr(module, name, None) or ()) for name in names)


class ModuleTree:
    """The modules of one model or of several that ran side by side, by path; a shared one by its first path."""

    def __init__(self):
        self._paths = {}  # id(module): path
        self._held = []  # so that an id stays one module's
        self._roots = []
        self._taken = set()
        self._tensors = {}  # id(tensor): (path, name)

    def add(self, model, name=None):
        """A second model gets its class as the first part of its paths."""
        if self._roots:
            name = name or type(model).__name__
            base, number = name, 2
            while name in self._taken:
                name, number = f"{base}_{number}", number + 1
            self._taken.add(name)
        else:
            name = ""
        self._roots.append((name, model))
        for below, module in model.named_modules():
            path = ".".join(part for part in (name, below) if part)
            self._paths.setdefault(id(module), path)
            self._held.append(module)
            for own, tensor in list(module._parameters.items()) + list(module._buffers.items()):
                if tensor is not None:
                    full = f"{path}.{own}" if path else own
                    self._tensors.setdefault(id(tensor), (path, full))

    def path(self, module):
        """None: it belongs to none that was added."""
        return self._paths.get(id(module))

    def tensor_name(self, tensor):
        """(path of the module, full name), or None."""
        return self._tensors.get(id(tensor))

    def named_parameters(self):
        """(name, path of the module, the module, parameter), each parameter once."""
        seen = set()
        for path, module in self._modules():
            for own, tensor in module._parameters.items():
                if tensor is not None and id(tensor) not in seen:
                    seen.add(id(tensor))
                    yield (f"{path}.{own}" if path else own), path, module, tensor

    def tensors(self):
        """(name, path, is a parameter, tensor) of all parameters and buffers."""
        for path, module in self._modules():
            for is_parameter, own in ((True, module._parameters), (False, module._buffers)):
                for name, tensor in own.items():
                    if tensor is not None:
                        yield (f"{path}.{name}" if path else name), path, is_parameter, tensor

    def _modules(self):
        seen = set()
        for _, root in self._roots:
            for module in root.modules():
                if id(module) not in seen:
                    seen.add(id(module))
                    yield self._paths.get(id(module), ""), module

    def describe(self, storage_number):
        """Rows of ModelInfo::modules, the root first, parents before their children."""
        rows = []
        for name, root in self._roots:
            self._describe(root, name, -1 if not rows else 0, rows, storage_number, set())
        if not rows:
            rows.append(self._row(torch.nn.Module(), "", -1, storage_number))
            rows[0]["class_name"] = rows[0]["qualified_name"] = "no module"
        return rows

    def _describe(self, module, path, parent, rows, storage_number, around):
        if id(module) in around:  # a module in itself
            return
        number = len(rows)
        rows.append(self._row(module, path, parent, storage_number))
        for name, child in module._modules.items():
            if child is not None:
                below = f"{path}.{name}" if path else name
                self._describe(child, below, number, rows, storage_number, around | {id(module)})

    def _row(self, module, path, parent, storage_number):
        kind = type(module)
        own = {"parameters": module._parameters, "buffers": module._buffers}
        rows = {
            what: [
                _tensor_info(f"{path}.{name}" if path else name, tensor, storage_number)
                for name, tensor in tensors.items()
                if tensor is not None and not _is_unmaterialised(tensor)
            ]
            for what, tensors in own.items()
        }
        whole = {id(tensor): tensor for tensor in module.parameters() if not _is_unmaterialised(tensor)}
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
            **rows,
        }

    def classes(self):
        return {type(module) for _, root in self._roots for module in root.modules()}


def _is_unmaterialised(tensor):
    return getattr(torch.nn.parameter, "is_lazy", lambda _: False)(tensor)


@functools.lru_cache(maxsize=None)
def shown_path(file):
    """Below the folder that the program runs in: without that folder."""
    if not file or file.startswith("<"):
        return file
    below = os.path.relpath(file)
    return file if below.startswith(os.pardir) else below


def sources(files):
    """The texts of the files that events name, as far as they can be read."""
    out = []
    for name in sorted(set(files)):
        # Of a notebook's cells too.
        text = "".join(linecache.getlines(name))
        if text and len(text) <= _LARGEST_SOURCE:
            out.append({"name": shown_path(name), "text": text, "is_original": True})
    return out


def source_of(model):
    """The file of the model's class, or of the program; "" when neither is a file."""
    try:
        return os.path.abspath(inspect.getsourcefile(type(model)))
    except (TypeError, OSError):
        return os.path.abspath(sys.argv[0]) if sys.argv and os.path.isfile(sys.argv[0]) else ""
