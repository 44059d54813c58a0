#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes training_groups.txt: what PyTorch 1.13.1 gives for one training step of small graphs.

    /usr/bin/python3 make_training_groups.py > training_groups.txt

A case is a name, operators that are to stand in fusion groups, the shapes of the inputs (i: int64 of two classes, p: not
negative), and the graph. The gradient of the first result is drawn too.
"""
import torch

CONSTANTS = """  %one : int = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %yes : bool = prim::Constant[value=1]()
  %no : bool = prim::Constant[value=0]()
  %last : int = prim::Constant[value=-1]()
  %eps : float = prim::Constant[value=1e-05]()
  %kind : str = prim::Constant[value="none"]()
  %half : float = prim::Constant[value=0.5]()
  %two : int = prim::Constant[value=2]()
  %momentum : float = prim::Constant[value=0.1]()
"""

CASES = [
    ("layer_norm between pointwise operators", "aten::native_layer_norm aten::native_layer_norm_backward", "3,4 3,4 4 4", """
  %h : Tensor = aten::add(%in0, %in1, %one)
  %four : int = prim::Constant[value=4]()
  %shape : int[] = prim::ListConstruct(%four)
  %l : Tensor = aten::layer_norm(%h, %shape, %in2, %in3, %eps, %yes)
  %g : Tensor = aten::gelu(%l, %kind)
  %r : Tensor = aten::mul(%g, %in1)"""),
    ("layer_norm after a residual, without weights", "aten::native_layer_norm_backward", "2,3,5 2,3,5", """
  %h : Tensor = aten::add(%in0, %in1, %one)
  %five : int = prim::Constant[value=5]()
  %shape : int[] = prim::ListConstruct(%five)
  %l : Tensor = aten::layer_norm(%h, %shape, %none, %none, %eps, %yes)
  %r : Tensor = aten::add(%l, %h, %one)"""),
    ("layer_norm over two dimensions", "aten::native_layer_norm_backward", "3,2,4 2,4 2,4", """
  %h : Tensor = aten::mul(%in0, %in0)
  %four : int = prim::Constant[value=4]()
  %shape : int[] = prim::ListConstruct(%two, %four)
  %l : Tensor = aten::layer_norm(%h, %shape, %in1, %in2, %eps, %yes)
  %r : Tensor = aten::tanh(%l)"""),
    ("softmax between pointwise operators", "aten::_softmax aten::_softmax_backward_data", "2,3,5 2,3,5", """
  %h : Tensor = aten::mul(%in0, %half)
  %a : Tensor = aten::add(%h, %in1, %one)
  %s : Tensor = aten::softmax(%a, %last, %none)
  %r : Tensor = aten::mul(%s, %in1)"""),
    ("log_softmax between pointwise operators", "aten::_log_softmax aten::_log_softmax_backward_data", "7,64 64", """
  %h : Tensor = aten::mul(%in0, %in1)
  %s : Tensor = aten::log_softmax(%h, %last, %none)
  %r : Tensor = aten::mul(%s, %half)"""),
    ("dropout between pointwise operators", "aten::mul aten::div", "3,4 4", """
  %h : Tensor = aten::mul(%in0, %in1)
  %d : Tensor = aten::dropout(%h, %half, %yes)
  %r : Tensor = aten::add(%d, %in0, %one)"""),
    ("layer_norm, gelu and two dropouts", "aten::native_layer_norm aten::native_layer_norm_backward", "3,4 3,4 4 4", """
  %e : Tensor = aten::dropout(%in1, %momentum, %yes)
  %h : Tensor = aten::add(%in0, %e, %one)
  %four : int = prim::Constant[value=4]()
  %shape : int[] = prim::ListConstruct(%four)
  %l : Tensor = aten::layer_norm(%h, %shape, %in2, %in3, %eps, %yes)
  %t : Tensor = aten::tanh(%l)
  %d : Tensor = aten::dropout(%t, %half, %yes)
  %r : Tensor = aten::add(%d, %h, %one)"""),
    ("batch_norm in training and relu", "aten::addcmul aten::sum", "2,3,8,8 3 3 3p 3p", """
  %b : Tensor = aten::batch_norm(%in0, %in1, %in2, %in3, %in4, %yes, %momentum, %eps, %no)
  %r : Tensor = aten::relu(%b)"""),
    ("batch_norm without weights behind a residual", "aten::addcmul aten::sum", "2,3,70 2,3,70 3p 3p", """
  %h : Tensor = aten::add(%in0, %in1, %one)
  %b : Tensor = aten::batch_norm(%h, %none, %none, %in2, %in3, %yes, %momentum, %eps, %no)
  %t : Tensor = aten::tanh(%b)
  %r : Tensor = aten::mul(%t, %in1)"""),
    ("batch_norm with running statistics", "aten::relu", "2,3,8,8 3 3 3p 3p", """
  %b : Tensor = aten::batch_norm(%in0, %in1, %in2, %in3, %in4, %no, %momentum, %eps, %no)
  %t : Tensor = aten::relu(%b)
  %r : Tensor = aten::mul(%t, %half)"""),
    ("group_norm and tanh", "aten::addcmul aten::sum", "2,6,8,8 6 6", """
  %b : Tensor = aten::group_norm(%in0, %two, %in1, %in2, %eps, %no)
  %r : Tensor = aten::tanh(%b)"""),
    ("group_norm of one channel a group, without weights", "aten::addcmul aten::sum", "2,3,70 2,3,70", """
  %three : int = prim::Constant[value=3]()
  %h : Tensor = aten::mul(%in0, %in1)
  %b : Tensor = aten::group_norm(%h, %three, %none, %none, %eps, %no)
  %r : Tensor = aten::sigmoid(%b)"""),
    ("instance_norm and relu", "aten::addcmul aten::sum", "2,3,8,8 3 3", """
  %b : Tensor = aten::instance_norm(%in0, %in1, %in2, %none, %none, %yes, %momentum, %eps, %no)
  %r : Tensor = aten::relu(%b)"""),
]


def draw(spec):
    sizes = [int(n) for n in spec.rstrip("ip").split(",")]
    if spec.endswith("i"):
        return torch.randint(0, 2, sizes)
    t = torch.randn(sizes)
    return t.abs() if spec.endswith("p") else t.requires_grad_()


def show(t):
    t = t.detach()
    digits = ("%d" if t.dtype in (torch.int64, torch.bool) else "%.9g")
    print("%s [%s] %s" % (str(t.dtype).split(".")[1], ", ".join(map(str, t.shape)), " ".join(digits % v for v in t.flatten().tolist())))


torch.manual_seed(1)
for name, grouped, inputs, body in CASES:
    inputs = [draw(spec) for spec in inputs.split()]
    names = ["%%in%d : Tensor" % i for i in range(len(inputs))]
    text = "graph(%s):\n%s%s\n  return (%%r)\n" % (", ".join(names), CONSTANTS, body.lstrip("\n"))
    function = torch._C._create_function_from_graph("step", torch._C.parse_ir(text))
    print("=== " + name)
    print(grouped)
    print(text + "---")
    before = [t.detach().clone() for t in inputs]
    torch.manual_seed(7)
    result = function(*inputs)
    gradient = torch.randn_like(result)
    result.backward(gradient)
    for t in before:
        show(t)
    print("---")
    show(gradient)
    show(result)
    for t in inputs:
        if t.requires_grad:
            show(t.grad)
    print("---")
    for t, was in zip(inputs, before):  # running statistics
        if not t.requires_grad and not torch.equal(t, was):
            show(t)
