#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the numbers that test_onnx_numbers.cpp expects, of ONNX's reference implementation. Run by hand; needs onnx
1.23 or later.
"""
import numpy as np
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator


def show(title, op, inputs, opset, domain="", **attributes):
    names = [f"x{i}" for i in range(len(inputs))]
    infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
             for n, x in zip(names, inputs) if x is not None]
    node = helper.make_node(op, [n if x is not None else "" for n, x in zip(names, inputs)], ["y"], domain=domain,
                            **attributes)
    graph = helper.make_graph([node], "g", infos, [helper.make_tensor_value_info("y", 0, None)])
    opsets = [helper.make_opsetid("", opset)] + ([helper.make_opsetid(domain, 1)] if domain else [])
    feeds = {n: x for n, x in zip(names, inputs) if x is not None}
    y = ReferenceEvaluator(helper.make_model(graph, opset_imports=opsets)).run(None, feeds)[0]
    print(title, y.shape, "{" + ", ".join(f"{v:.8g}" for v in y.ravel()) + "}")


def counted(*shape):
    """0, 1, ... as float32."""
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def waves(shift, *shape):
    return np.sin(counted(*shape) + np.float32(shift)).astype(np.float32)


def modifier(op, number):
    """A graph of one operator with a number."""
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["b", "h", "l", "s"]) for n in ("a", "b")]
    return helper.make_graph([helper.make_node(op, ["a", "c"], ["b"])], op, infos[:1], infos[1:],
                             [helper.make_tensor("c", TensorProto.FLOAT, [], [number])])


scales = np.array([1, 1, 0.6, 0.6], np.float32)
for mode in ("linear", "cubic"):
    for excludes in (0, 1):
        show(f"resize {mode} {excludes}", "Resize", [counted(1, 1, 4, 4), None, scales], 19, mode=mode, antialias=1,
             exclude_outside=excludes)

show("col2im", "Col2Im", [counted(1, 4, 8), np.array([2, 3, 2]), np.array([1, 2, 2])], 18, pads=[0, 0, 1, 0, 0, 0])

grid = np.array([-1.5, 0, -2, 0, 1.5, 0, 2, 0], np.float32).reshape(1, 1, 4, 2)
show("grid", "GridSample", [counted(1, 1, 1, 4), grid], 20, mode="nearest", padding_mode="reflection")

qkv = [waves(0, 1, 2, 2, 2), waves(1, 1, 1, 3, 2), waves(2, 1, 1, 3, 2)]
flex = {"op": "FlexAttention", "inputs": qkv, "opset": 26, "domain": "ai.onnx.preview"}
show("flex", **flex)
show("flex scaled", **flex, scale=0.3)
show("flex modified", **flex, score_mod=modifier("Pow", 2.0), prob_mod=modifier("Mul", 0.5))
