# SPDX-License-Identifier: Apache-2.0
# torch.export: a model's operators as a program that files can hold. torch/export/__init__.py and exported_program.py.
import json

import torch
import torch._export_native as _native
from torch.export.graph_text import Graph, program_code, signature_text
from torch.export.graph_signature import ExportGraphSignature, InputKind, OutputKind

__all__ = ["Dim", "ExportedProgram", "ExportGraphSignature", "InputKind", "OutputKind", "dims", "export", "load", "save"]


class _Hint:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "Dim." + self.name


class Dim:
    """A size that may differ from the example's: Dim("batch", min=1, max=64), 2 * batch."""

    AUTO = _Hint("AUTO")
    DYNAMIC = _Hint("DYNAMIC")
    STATIC = _Hint("STATIC")

    def __init__(self, name, *, min=None, max=None):
        if not str(name).isidentifier():
            raise AssertionError(f"Dim name must be a valid identifier, got {name}")
        if min is not None and max is not None and max <= min:
            raise AssertionError(f"Cannot create Dim with inconsistent min={min}, max={max}")
        self.__name__ = name
        self.min = 0 if min is None else min
        self.max = max
        self._text = name
        self._root = self

    def _derived(self, text):
        made = Dim.__new__(Dim)
        made.__name__ = text
        made.min, made.max = 0, None
        made._text = text
        made._root = self._root
        return made

    def __add__(self, other):
        return self._derived(f"{self._text} + {other}")

    def __radd__(self, other):
        return self + other

    def __sub__(self, other):
        return self._derived(f"{self._text} - {other}")

    def __mul__(self, other):
        inner = f"({self._text})" if " " in self._text else self._text
        return self._derived(f"{other}*{inner}")

    def __rmul__(self, other):
        return self * other

    def __repr__(self):
        return f"Dim('{self.__name__}', min={self.min}, max={'int_oo' if self.max is None else self.max})"


def dims(*names, min=None, max=None):
    return tuple(Dim(name, min=min, max=max) for name in names)


class _DynamicShapes:
    """The writer's options: ("dynamic", "arg0:0=batch"), ("range", "batch=1..64")."""

    def __init__(self):
        self.options = []
        self._ranges = {}
        self._tensor = 0
        self._own = 0

    def add(self, argument, value, shapes):
        self._tensor = 0
        self._visit(argument, value, shapes)

    def _visit(self, argument, value, shapes):
        if isinstance(value, torch.Tensor):
            self._visit_tensor(argument, value, shapes)
            self._tensor += 1
        elif isinstance(value, dict):
            for key, each in value.items():
                self._visit(argument, each, None if shapes is None else shapes.get(key))
        elif isinstance(value, (list, tuple)):
            for i, each in enumerate(value):
                self._visit(argument, each, None if shapes is None else shapes[i])

    def _visit_tensor(self, argument, value, shapes):
        if shapes is None:
            return
        pairs = shapes.items() if isinstance(shapes, dict) else enumerate(shapes)
        for dim, size in pairs:
            if size is None or isinstance(size, int) or size is Dim.STATIC:
                continue
            place = f"arg{argument}.{self._tensor}:{dim % value.dim()}"
            self.options.append(("dynamic", f"{place}={self._name(size)}"))

    def _name(self, size):
        if isinstance(size, _Hint):
            self._own += 1
            return f"size{self._own}"
        root = size._root
        if root.__name__ not in self._ranges:
            self._ranges[root.__name__] = root
            most = "" if root.max is None else root.max
            self.options.append(("range", f"{root.__name__}={max(root.min, 0)}..{most}"))
        return size._text


def _leaves(spec, value, out):
    """Leaves of a value that nests as the spec says; a spec is torch.utils._pytree's in JSON."""
    kind = spec["type"]
    if kind is None:
        out.append(value)
        return
    children = spec["children_spec"]
    if kind == "builtins.dict":
        keys = json.loads(spec["context"])
        if not isinstance(value, dict) or sorted(map(str, value)) != sorted(map(str, keys)):
            raise ValueError(f"Expected a dict with the keys {keys}")
        for key, child in zip(keys, children):
            _leaves(child, value[key], out)
        return
    if not isinstance(value, (list, tuple)) or len(value) != len(children):
        raise ValueError(f"Expected {len(children)} values, got {value!r}")
    for each, child in zip(value, children):
        _leaves(child, each, out)


class _ProgramModule(torch.nn.Module):
    """A program as a module: its parameters and buffers, called as the module that was exported."""

    def __init__(self, graph, in_spec, names, is_constant):
        super().__init__()
        for name, parameter in graph.named_parameters(recurse=False):
            self.register_parameter(name, parameter)
        for name, buffer in graph.named_buffers(recurse=False):
            self.register_buffer(name, buffer)
        for name, child in graph.named_children():
            self.add_module(name, child)
        object.__setattr__(self, "_call", (graph, in_spec, names, is_constant))

    def forward(self, *args, **kwargs):
        graph, in_spec, names, is_constant = self._call
        count = len(in_spec["children_spec"][0]["children_spec"])
        args = list(args)
        while len(args) < count and names is not None and names[len(args)] in kwargs:
            args.append(kwargs.pop(names[len(args)]))
        leaves = []
        _leaves(in_spec, (tuple(args), kwargs), leaves)
        return graph(*[leaf for leaf, constant in zip(leaves, is_constant) if not constant])


class ExportedProgram:
    """A program of torch.export."""

    def __init__(self, data):
        self._data = data
        self._graph_module, text, self.example_inputs, self.constants = _native.read(data)
        self._program = json.loads(text)
        self.state_dict = self._graph_module.state_dict(keep_vars=True)
        self.graph_signature = ExportGraphSignature._from_json(self._program["graph_module"]["signature"])
        self.graph = Graph(self._program["graph_module"]["graph"])
        self.range_constraints = {
            name: (each["min_val"], each["max_val"]) for name, each in self._program["range_constraints"].items()
        }

    @property
    def _root_call(self):
        return self._program["graph_module"]["module_call_graph"][0]["signature"]

    def module(self, check_guards=True):
        graph_module = _native.read(self._data)[0]
        own = dict(self._graph_module.named_parameters())
        for name, parameter in graph_module.named_parameters():
            parameter.data = own[name].data
        specs = self._program["graph_module"]["signature"]["input_specs"]
        leaves = [s for s in specs if "user_input" in s or "constant_input" in s]
        is_constant = ["constant_input" in s or not any(k in s["user_input"]["arg"] for k in ("as_tensor", "as_sym_int", "as_sym_float", "as_sym_bool")) for s in leaves]
        in_spec = json.loads(self._root_call["in_spec"])[1]
        return _ProgramModule(graph_module, in_spec, self._root_call.get("forward_arg_names"), is_constant)

    def parameters(self):
        for _, parameter in self.named_parameters():
            yield parameter

    def named_parameters(self):
        for spec in self.graph_signature.input_specs:
            if spec.kind is InputKind.PARAMETER:
                yield spec.target, self.state_dict[spec.target]

    def buffers(self):
        for _, buffer in self.named_buffers():
            yield buffer

    def named_buffers(self):
        for spec in self.graph_signature.input_specs:
            if spec.kind is InputKind.BUFFER:
                persistent = spec.target in self.state_dict
                yield spec.target, self.state_dict[spec.target] if persistent else self.constants[spec.target]

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Unable to call ExportedProgram directly. You should use `exported_program.module()` to call it."
        )

    def __str__(self):
        code = program_code(self._program["graph_module"]["graph"])
        code = "\n".join("    " + line if line else line for line in code.splitlines())
        ranges = ", ".join(
            f"{name}: VR[{low}, {'int_oo' if high is None else high}]" for name, (low, high) in self.range_constraints.items()
        )
        return f"ExportedProgram:\n{code}\n\nGraph signature: \n{signature_text(self.graph_signature)}\nRange constraints: {{{ranges}}}\n"

    __repr__ = __str__


def export(mod, args, kwargs=None, *, dynamic_shapes=None, strict=False, preserve_module_call_signature=(), prefer_deferred_runtime_asserts_over_guards=False):
    """Runs the module on example inputs and records its operators."""
    if not isinstance(mod, torch.nn.Module):
        raise ValueError(f"Expected `mod` to be an instance of `torch.nn.Module`, got {type(mod)}.")
    if isinstance(mod, torch.jit.ScriptModule):
        raise ValueError("Exporting a ScriptModule is not supported. Maybe try converting your ScriptModule to an ExportedProgram using `TS2EPConverter(mod, args, kwargs).convert()` instead.")
    if not isinstance(args, tuple):
        raise TypeError(f"Expecting `args` to be a tuple of example positional inputs, got {type(args)}")
    kwargs = {} if kwargs is None else kwargs
    names = _native.argument_names(mod) or []
    shapes = _DynamicShapes()
    values = list(args) + list(kwargs.values())
    keys = (names + [f"args_{i}" for i in range(len(names), len(args))])[: len(args)] + list(kwargs)
    if dynamic_shapes is not None:
        if isinstance(dynamic_shapes, dict):
            unknown = [key for key in dynamic_shapes if key not in keys]
            if unknown:
                raise ValueError(f"When `dynamic_shapes` is specified as a dict, its top-level keys must be the arg names {keys} of `inputs`, but here they are {list(dynamic_shapes)}.")
            by_place = [dynamic_shapes.get(key) for key in keys]
        else:
            by_place = list(dynamic_shapes)
        for i, each in enumerate(by_place):
            shapes.add(i, values[i], each)
    return ExportedProgram(_native.write(mod, values, keys, len(kwargs), shapes.options))


def save(ep, f, *, extra_files=None, opset_version=None, pickle_protocol=2):
    """Writes the program as a .pt2 file."""
    if not isinstance(ep, ExportedProgram):
        raise TypeError(f"The 'ep' parameter must be an instance of 'ExportedProgram', got '{type(ep).__name__}' instead.")
    data = _native.with_tensors(ep._data, ep._graph_module)
    if hasattr(f, "write"):
        f.write(data)
        return
    with open(f, "wb") as file:
        file.write(data)


def load(f, *, extra_files=None, expected_opset_version=None):
    """Reads a .pt2 file."""
    if hasattr(f, "read"):
        return ExportedProgram(f.read())
    with open(f, "rb") as file:
        return ExportedProgram(file.read())
