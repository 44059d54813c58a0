# SPDX-License-Identifier: Apache-2.0
# Writes module_traces.txt: the inlined graphs of torch.jit.trace over the module cases, a line an operator.
#
#     /usr/bin/python3 tests/conformance/make_module_traces.py > tests/conformance/module_traces.txt
#
# "%2 = aten::add(%0, self.weight, 1) | linear1": operators in order; constants, lists and attributes stand in their
# arguments; behind the bar the module that called it, empty for the model itself.
import io
import json
import pathlib
import warnings
import zipfile

import numpy
import torch

warnings.simplefilter("ignore")
HIDDEN = {"prim::Constant", "prim::GetAttr", "prim::ListConstruct"}


def constant(value):
    if isinstance(value, torch.Tensor):
        return "{%s}" % value.item() if value.dim() == 0 else "{%s}" % "x".join(map(str, value.shape))
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, torch.device):
        return '"%s"' % value
    if isinstance(value, str):
        return '"%s"' % value
    return str(value)


def lines(graph):
    names = {}

    def fresh(value):
        names[value.debugName()] = "%%%d" % sum(name.startswith("%") for name in names.values())

    def argument(value):
        node = value.node()
        if value.debugName() in names:
            return names[value.debugName()]
        if node.kind() == "prim::Constant":
            return constant(value.toIValue())
        if node.kind() == "prim::ListConstruct":
            return "[%s]" % ", ".join(argument(v) for v in node.inputs())
        assert node.kind() == "prim::GetAttr", node
        return argument(node.inputsAt(0)) + "." + node.s("name")

    inputs = list(graph.inputs())
    names[inputs[0].debugName()] = "self"
    for value in inputs[1:]:
        fresh(value)
    for node in graph.nodes():
        if node.kind() in HIDDEN:
            continue
        arguments = [argument(v) for v in node.inputs()]
        for value in node.outputs():
            fresh(value)
        outputs = ", ".join(names[v.debugName()] for v in node.outputs())
        scope = node.scopeName().rsplit("/", 1)[-1].removeprefix("__module").removeprefix(".")
        yield "%s = %s(%s) | %s" % (outputs, node.kind(), ", ".join(arguments), scope)
    yield "return " + ", ".join(argument(v) for v in graph.outputs())


def array(data):
    return torch.from_numpy(numpy.array(data))


for path in sorted((pathlib.Path(__file__).parent / "modules").glob("*.zip")):
    archive = zipfile.ZipFile(path)
    for case in json.loads(archive.read("index.json")):
        k = case["k"]
        names = {}
        exec(archive.read("%d.py" % k).decode(), names)
        model = names["model"]
        data = numpy.load(io.BytesIO(archive.read("%d.in.npz" % k)))
        state = numpy.load(io.BytesIO(archive.read("%d.state.npz" % k)))
        model.load_state_dict({name: array(state[name]) for name in state.files})
        model.train(case["mode"] != "eval")
        inputs = tuple(array(data["arg%d" % i]) for i in range(len([n for n in data.files if n.startswith("arg")])))
        torch.manual_seed(0)
        print("== %s %d" % (path.stem, k))
        try:
            traced = torch.jit.trace(model, inputs, check_trace=False)
        except Exception as error:
            print("error", str(error).split("\n")[0])
            continue
        print("\n".join(lines(traced.inlined_graph)))
