# SPDX-License-Identifier: Apache-2.0
# A program's graph as torch.fx has it and prints it.

_TYPES = {1: "u8", 2: "i8", 3: "i16", 4: "i32", 5: "i64", 6: "f16", 7: "f32", 8: "f64", 9: "c32", 10: "c64", 11: "c128", 12: "b8", 13: "bf16",
          28: "u16", 29: "f8e4m3fn", 30: "f8e5m2", 31: "f8e4m3fnuz", 32: "f8e5m2fnuz", 33: "f8e8m0fnu", 34: "u32", 35: "u64"}
_DTYPES = {1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "float16", 7: "float32", 8: "float64", 9: "complex32", 10: "complex64", 11: "complex128", 12: "bool", 13: "bfloat16",
           28: "uint16", 29: "float8_e4m3fn", 30: "float8_e5m2", 31: "float8_e4m3fnuz", 32: "float8_e5m2fnuz", 33: "float8_e8m0fnu", 34: "uint32", 35: "uint64"}
_FORMATS = {1: "contiguous_format", 2: "channels_last", 3: "channels_last_3d", 4: "preserve_format"}
_LAYOUTS = {1: "sparse_coo", 2: "sparse_csr", 3: "sparse_csc", 4: "sparse_bsr", 5: "sparse_bsc", 6: "_mkldnn", 7: "strided"}


class Named:
    """A value of the graph in an argument."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


class Plain:
    """torch.float32 and the like, as they print."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def argument_of(arg):
    kind, value = next(iter(arg.items()))
    if kind == "as_none":
        return None
    if kind in ("as_tensor", "as_custom_obj"):
        return Named(value["name"])
    if kind.startswith("as_sym_") and isinstance(value, dict):
        return Named(value["as_name"]) if "as_name" in value else next(iter(value.values()))
    if kind.startswith("as_sym_"):
        return [Named(v["as_name"]) if "as_name" in v else next(iter(v.values())) for v in value]
    if kind == "as_tensors":
        return [Named(v["name"]) for v in value]
    if kind == "as_optional_tensors":
        return [argument_of(v) for v in value]
    if kind == "as_scalar_type":
        return Plain("torch." + _DTYPES.get(value, str(value)))
    if kind == "as_memory_format":
        return Plain("torch." + _FORMATS[value])
    if kind == "as_layout":
        return Plain("torch." + _LAYOUTS[value])
    if kind == "as_device":
        index = value.get("index")
        return Plain(f"device(type='{value['type']}')" if index is None else f"device(type='{value['type']}', index={index})")
    if kind == "as_graph":
        return Named(value["name"])
    if kind == "as_complex":
        return complex(value["real"], value["imag"])
    return value


def _names(value, out):
    if isinstance(value, Named):
        out.append(value.name)
    elif isinstance(value, (list, tuple)):
        for each in value:
            _names(each, out)


class Node:
    """A node of torch.fx: placeholder, call_function or output."""

    def __init__(self, op, name, target, args=(), kwargs=None, meta=None):
        self.op = op
        self.name = name
        self.target = target
        self.args = args
        self.kwargs = {} if kwargs is None else kwargs
        self.meta = {} if meta is None else meta
        self.users = {}

    def __repr__(self):
        return self.name

    def reads(self):
        names = []
        _names(list(self.args) + list(self.kwargs.values()), names)
        return names


def _output_names(output):
    kind, value = next(iter(output.items()))
    if kind == "as_tensors":
        return [v["name"] for v in value]
    if kind in ("as_tensor", "as_custom_obj"):
        return value["name"]
    return value.get("as_name") if isinstance(value, dict) else None


def nodes_of(graph):
    """The nodes as FX has them: results of several are taken apart by getitem."""
    nodes = []
    for i, arg in enumerate(graph["inputs"]):
        value = argument_of(arg)
        name = value.name if isinstance(value, Named) else f"arg{i}"
        nodes.append(Node("placeholder", name, name))
    for serialized in graph["nodes"]:
        args = [argument_of(a["arg"]) for a in serialized["inputs"] if a.get("kind", 1) == 1]
        kwargs = {a["name"]: argument_of(a["arg"]) for a in serialized["inputs"] if a.get("kind", 1) == 2}
        outputs = [_output_names(o) for o in serialized["outputs"]]
        is_single = len(outputs) == 1 and isinstance(outputs[0], str) and serialized.get("is_hop_single_tensor_return") is not False
        name = outputs[0] if is_single else serialized.get("name", serialized["target"].split(".")[-2])
        nodes.append(Node("call_function", name, serialized["target"], tuple(args), kwargs, serialized["metadata"]))
        if is_single:
            continue
        parts = outputs[0] if len(outputs) == 1 and isinstance(outputs[0], list) else outputs
        for i, part in enumerate(parts):
            if isinstance(part, str):
                nodes.append(Node("call_function", part, "operator.getitem", (Named(name), i), {}, serialized["metadata"]))
    nodes.append(Node("output", "output", "output", (tuple(argument_of(o) for o in graph["outputs"]),)))
    by_name = {node.name: node for node in nodes}
    for node in nodes:
        for read in node.reads():
            if read in by_name:
                by_name[read].users[node] = None
    return nodes


def _format(value):
    if isinstance(value, Named):
        return "%" + value.name
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_format, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, list):
        return "[" + ", ".join(map(_format, value)) + "]"
    return repr(value) if not isinstance(value, str) else value


class Graph:
    """torch.fx.Graph of a program."""

    def __init__(self, serialized):
        self._serialized = serialized
        self.nodes = nodes_of(serialized)

    def __str__(self):
        lines = ["graph():"]
        for node in self.nodes:
            if node.op == "placeholder":
                lines.append(f"    %{node.name} : [num_users={len(node.users)}] = placeholder[target={node.target}]")
            elif node.op == "output":
                lines.append(f"    return {node.args[0]!r}")
            else:
                kwargs = "{" + ", ".join(f"{k}: {_format(v)}" for k, v in node.kwargs.items()) + "}"
                lines.append(f"    %{node.name} : [num_users={len(node.users)}] = call_function[target={node.target}](args = {_format(tuple(node.args))}, kwargs = {kwargs})")
        return "\n".join(lines)

    __repr__ = __str__


def _size(size):
    return str(size["as_int"]) if "as_int" in size else _plain(size["as_expr"]["expr_str"])


def _plain(text):
    """sympy's srepr of a symbol as its name; other expressions stay as they are."""
    return text.split("'")[1] if text.startswith("Symbol('") and text.count("Symbol(") == 1 else text


def _annotation(graph, name):
    meta = graph["tensor_values"].get(name)
    if meta is not None:
        return f': "{_TYPES.get(meta["dtype"], "?")}[{", ".join(map(_size, meta["sizes"]))}]"'
    if name in graph["sym_int_values"]:
        value = graph["sym_int_values"][name]
        return f': "Sym({_size(value)})"'
    return ""


def _line_of(metadata):
    """The innermost line of the user's that the node's trace has."""
    frames = metadata.get("stack_trace", "").split("\n")
    for i in range(len(frames) - 1, -1, -1):
        frame = frames[i].strip()
        if not frame.startswith("File ") or "-packages/torch/" in frame:
            continue
        place = frame.split('"')
        rest = place[2].split(", ")
        code = frames[i + 1].strip() if i + 1 < len(frames) else ""
        return f"# File: {place[1]}:{rest[1].split(' ')[1]} in {rest[2][3:]}, code: {code}"
    return None


def program_code(graph):
    """The graph as print(program) shows it."""
    nodes = nodes_of(graph)
    last_use = {}
    for i, node in enumerate(nodes):
        for read in node.reads():
            last_use[read] = i
    inputs = "".join(f", {n.name}{_annotation(graph, n.name)}" for n in nodes if n.op == "placeholder")
    lines = ["class GraphModule(torch.nn.Module):", f"    def forward(self{inputs}):"]
    shown = None
    for i, node in enumerate(nodes):
        if node.op == "placeholder":
            continue
        if node.op == "output":
            lines.append(f"        return {node.args[0]!r}")
            continue
        line = _line_of(node.meta)
        if line is not None and line != shown:
            lines += ["" if shown else "", "         " + line]
            shown = line
        target = {"operator.getitem": None}.get(node.target, node.target.replace("_operator.", "operator."))
        call = f"{node.args[0]!r}[{node.args[1]}]" if target is None else f"{target}({', '.join([repr(a) for a in node.args] + [f'{k} = {v!r}' for k, v in node.kwargs.items()])})"
        ended = []
        for read in node.reads():
            if last_use[read] == i and read not in ended:
                ended.append(read)
        if not node.users:
            ended.append(node.name)
        ends = f";  {' = '.join(ended)} = None" if ended else ""
        lines.append(f"        {node.name}{_annotation(graph, node.name)} = {call}{ends}")
    return "\n".join(lines)


def signature_text(signature):
    lines = ["# inputs"]
    for spec in signature.input_specs:
        target = "" if spec.target is None else f" target='{spec.target}'"
        persistent = "" if spec.persistent is None else f" persistent={spec.persistent}"
        lines.append(f"{spec.arg.name}: {spec.kind.name}{target}{persistent}")
    lines += ["", "# outputs"]
    for spec in signature.output_specs:
        target = "" if spec.target is None else f" target='{spec.target}'"
        lines.append(f"{spec.arg.name}: {spec.kind.name}{target}")
    return "\n".join(lines) + "\n"
