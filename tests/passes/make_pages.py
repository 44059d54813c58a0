#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes pages.txt: what PyTorch 1.13.1 makes of small graphs, one pass each.

    /usr/bin/python3 make_pages.py > pages.txt
"""
import torch


def unroll(graph):
    torch._C._jit_pass_constant_loop_unrolling(graph)
    torch._C._jit_pass_constant_propagation(graph)


def fuse_addmm(graph):
    torch._C._jit_pass_fuse_addmm(graph)
    torch._C._jit_pass_dce(graph)


def dict_idioms(graph):
    """They are a part of the peephole pass."""
    torch._C._jit_pass_peephole(graph)
    torch._C._jit_pass_dce(graph)


def lower_tuples(graph):
    torch._C._jit_pass_lower_all_tuples(graph)
    torch._C._jit_pass_dce(graph)


PASSES = {
    "DCE": torch._C._jit_pass_dce,
    "CSE": torch._C._jit_pass_cse,
    "ConstantPropagation": torch._C._jit_pass_constant_propagation,
    "ConstantPooling": torch._C._jit_pass_constant_pooling,
    "PeepholeOptimize": torch._C._jit_pass_peephole,
    "UnrollConstantLoops, ConstantPropagation": unroll,
    "CanonicalizeOps": torch._C._jit_pass_canonicalize_graph_fuser_ops,
    "RemoveExpands": torch._C._jit_pass_remove_expands,
    "DecomposeOps": torch._C._jit_pass_decompose_ops,
    "RemoveInplaceOps": torch._C._jit_pass_remove_inplace_ops,
    "RemoveTensorMutation": torch._C._jit_pass_remove_mutation,
    "LowerAllTuples": torch._C._jit_pass_lower_all_tuples,
    "UnrollLoops": torch._C._jit_pass_loop_unrolling,
    "BatchMM": torch._C._jit_pass_batch_mm,
    "FuseLinear": torch._C._jit_pass_fuse_linear,
    "TransformConv1dToConv2d": torch._C._jit_pass_transform_conv1d_to_conv2d,
    "FuseAddRelu": torch._C._jit_pass_fuse_add_relu,
    "ConstantPropagationImmutableTypes": torch._C._jit_pass_constant_propagation_immutable_types,
    "RemoveListMutation": torch._C._jit_pass_remove_mutation,
    "FuseAddMM, DCE": fuse_addmm,
    "EraseShapeInformation": torch._C._jit_pass_erase_shape_information,
    "RefineTupleTypes": torch._C._jit_pass_refine_tuple_types,
    "RefineIntegerValues": torch._C._jit_pass_refine_integer_values,
    "PeepholeOptimizeDictIdioms, DCE": dict_idioms,
    "LowerSimpleTuples, DCE": lower_tuples,
    "PeepholeOptimizeListIdioms": lambda graph: torch._C._jit_pass_peephole_list_idioms(graph, True),
}

CASES = [
    ("removes what nobody uses", "DCE", """
graph(%x : Tensor):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::tanh(%a)
  return (%a)
"""),
    ("keeps writes to inputs", "DCE", """
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %b : Tensor = aten::add_(%x, %one, %one)
  return (%one)
"""),
    ("removes unused results of branches", "DCE", """
graph(%x : Tensor, %c : bool):
  %p : Tensor, %q : Tensor = prim::If(%c)
    block0():
      %a : Tensor = aten::relu(%x)
      %b : Tensor = aten::tanh(%x)
      -> (%a, %b)
    block1():
      %d : Tensor = aten::sigmoid(%x)
      %e : Tensor = aten::exp(%x)
      -> (%d, %e)
  return (%q)
"""),
    ("removes unused carried values", "DCE", """
graph(%x : Tensor, %n : int):
  %t : bool = prim::Constant[value=1]()
  %p : Tensor, %q : Tensor, %r : Tensor = prim::Loop(%n, %t, %x, %x, %x)
    block0(%i : int, %a : Tensor, %b : Tensor, %c : Tensor):
      %d : Tensor = aten::relu(%a)
      %e : Tensor = aten::tanh(%b)
      %f : Tensor = aten::sigmoid(%a)
      -> (%t, %d, %e, %f)
  return (%r)
"""),
    ("merges equal nodes", "CSE", """
graph(%x : Tensor, %y : Tensor):
  %a : Tensor = aten::mul(%x, %y)
  %b : Tensor = aten::mul(%x, %y)
  %c : Tensor = aten::mul(%y, %x)
  %d : Tensor = aten::div(%a, %b)
  %e : Tensor = aten::div(%d, %c)
  return (%e)
"""),
    ("does not merge what is written", "CSE", """
graph(%x : Tensor):
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::relu(%x)
  %c : Tensor = aten::add_(%a, %one, %one)
  %d : Tensor = aten::mul(%b, %c)
  return (%d)
"""),
    ("does not merge random numbers", "CSE", """
graph(%x : Tensor, %p : float):
  %t : bool = prim::Constant[value=1]()
  %a : Tensor = aten::dropout(%x, %p, %t)
  %b : Tensor = aten::dropout(%x, %p, %t)
  %c : Tensor = aten::mul(%a, %b)
  return (%c)
"""),
    ("does not make two results one", "CSE", """
graph(%x : Tensor):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::relu(%x)
  return (%a, %b)
"""),
    ("merges into outer blocks", "CSE", """
graph(%x : Tensor, %c : bool):
  %a : Tensor = aten::relu(%x)
  %r : Tensor = prim::If(%c)
    block0():
      %b : Tensor = aten::relu(%x)
      %d : Tensor = aten::tanh(%b)
      -> (%d)
    block1():
      %e : Tensor = aten::sigmoid(%a)
      -> (%e)
  %f : Tensor = aten::mul(%r, %a)
  return (%f)
"""),
    ("computes numbers", "ConstantPropagation", """
graph(%x : int):
  %a : int = prim::Constant[value=3]()
  %b : int = prim::Constant[value=4]()
  %c : int = aten::add(%a, %b)
  %d : int = aten::mul(%c, %x)
  return (%d)
"""),
    ("takes the branch", "ConstantPropagation", """
graph(%x : Tensor):
  %a : int = prim::Constant[value=3]()
  %b : int = prim::Constant[value=4]()
  %c : bool = aten::lt(%a, %b)
  %r : Tensor = prim::If(%c)
    block0():
      %d : Tensor = aten::relu(%x)
      -> (%d)
    block1():
      %e : Tensor = aten::tanh(%x)
      -> (%e)
  return (%r)
"""),
    ("drops loops that do not run", "ConstantPropagation", """
graph(%x : Tensor):
  %zero : int = prim::Constant[value=0]()
  %t : bool = prim::Constant[value=1]()
  %r : Tensor = prim::Loop(%zero, %t, %x)
    block0(%i : int, %a : Tensor):
      %d : Tensor = aten::relu(%a)
      -> (%t, %d)
  return (%r)
"""),
    ("removes results that do not depend on the branch", "ConstantPropagation", """
graph(%x : Tensor, %c : bool):
  %r : Tensor, %s : Tensor = prim::If(%c)
    block0():
      %d : Tensor = aten::relu(%x)
      -> (%d, %x)
    block1():
      %e : Tensor = aten::tanh(%x)
      -> (%e, %x)
  %f : Tensor = aten::mul(%r, %s)
  return (%f)
"""),
    ("does not divide by zero", "ConstantPropagation", """
graph():
  %a : int = prim::Constant[value=3]()
  %b : int = prim::Constant[value=0]()
  %c : int = aten::floordiv(%a, %b)
  return (%c)
"""),
    ("makes tuples constants", "ConstantPropagation", """
graph(%x : Tensor):
  %a : int = prim::Constant[value=3]()
  %b : str = prim::Constant[value="k"]()
  %c : (int, str) = prim::TupleConstruct(%a, %b)
  %d : int, %e : str = prim::TupleUnpack(%c)
  %f : Tensor = aten::add(%x, %d, %d)
  %g : (Tensor, (int, str)) = prim::TupleConstruct(%f, %c)
  return (%g)
"""),
    ("makes lists constants that nobody writes", "ConstantPropagation", """
graph(%x : Tensor):
  %a : int = prim::Constant[value=3]()
  %l : int[] = prim::ListConstruct(%a, %a)
  %y : Tensor = aten::reshape(%x, %l)
  %m : int[] = prim::ListConstruct(%a)
  %n : int[] = aten::append(%m, %a)
  %z : Tensor = aten::reshape(%y, %m)
  return (%z)
"""),
    ("keeps one of each constant, at the start", "ConstantPooling", """
graph(%x : Tensor, %c : bool):
  %a : int = prim::Constant[value=1]()
  %r : Tensor = prim::If(%c)
    block0():
      %b : int = prim::Constant[value=1]()
      %f : float = prim::Constant[value=0.5]()
      %d : Tensor = aten::add(%x, %f, %b)
      -> (%d)
    block1():
      %e : int = prim::Constant[value=2]()
      %g : Tensor = aten::add(%x, %e, %a)
      -> (%g)
  %s : str = prim::Constant[value="x"]()
  %t : str = prim::Constant[value="x"]()
  %k : (Tensor, str, str) = prim::TupleConstruct(%r, %s, %t)
  return (%k)
"""),
    ("tells one from true and 1.0", "ConstantPooling", """
graph():
  %a : int = prim::Constant[value=1]()
  %b : bool = prim::Constant[value=1]()
  %c : float = prim::Constant[value=1.]()
  %d : float = prim::Constant[value=1.]()
  %n : NoneType = prim::Constant()
  %m : NoneType = prim::Constant()
  %k : (int, bool, float, float, NoneType, NoneType) = prim::TupleConstruct(%a, %b, %c, %d, %n, %m)
  return (%k)
"""),
    ("knows types", "PeepholeOptimize", """
graph(%x : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu), %y : Tensor):
  %a : int = prim::dtype(%x)
  %b : bool = aten::is_floating_point(%x)
  %c : int = aten::dim(%x)
  %d : int = prim::dtype(%y)
  %e : Device = prim::device(%x)
  %k : (int, bool, int, int, Device) = prim::TupleConstruct(%a, %b, %c, %d, %e)
  return (%k)
"""),
    ("knows what is None", "PeepholeOptimize", """
graph(%x : Tensor, %y : Tensor?):
  %n : NoneType = prim::Constant()
  %a : bool = aten::__is__(%x, %n)
  %b : bool = aten::__isnot__(%x, %n)
  %c : bool = aten::__is__(%n, %n)
  %d : bool = aten::__is__(%y, %n)
  %k : (bool, bool, bool, bool) = prim::TupleConstruct(%a, %b, %c, %d)
  return (%k)
"""),
    ("takes what both branches give", "ConstantPropagation", """
graph(%c : bool):
  %n : int = prim::Constant[value=3]()
  %p : bool, %q : int, %r : int = prim::If(%c)
    block0():
      %a : bool = aten::eq(%n, %n)
      %d : int = prim::Constant[value=4]()
      -> (%a, %d, %n)
    block1():
      %b : bool = prim::Constant[value=1]()
      %e : int = prim::Constant[value=5]()
      -> (%b, %e, %n)
  %k : (bool, int, int) = prim::TupleConstruct(%p, %q, %r)
  return (%k)
"""),
    ("puts constants of ints behind", "PeepholeOptimize", """
graph(%x : int, %y : int):
  %t : int = prim::Constant[value=2]()
  %h : int = prim::Constant[value=3]()
  %a : int = aten::add(%t, %x)
  %b : int = aten::add(%h, %a)
  %c : int = aten::sub(%b, %t)
  %d : int = aten::mul(%t, %c)
  %e : int = aten::mul(%d, %h)
  %f : int = aten::sub(%t, %y)
  %k : (int, int) = prim::TupleConstruct(%e, %f)
  return (%k)
"""),
    ("takes None for what can be nothing else", "PeepholeOptimize", """
graph(%x : Tensor?, %c : bool):
  %n : NoneType = prim::Constant()
  %a : NoneType = prim::unchecked_cast(%x)
  %b : bool = aten::__isnot__(%a, %n)
  %u : NoneType = prim::Uninitialized()
  %r : NoneType, %s : Tensor? = prim::If(%b)
    block0():
      -> (%n, %x)
    block1():
      -> (%u, %x)
  return (%r)
"""),
    ("refines optional results", "PeepholeOptimize", """
graph(%x : Tensor, %y : Tensor?, %c : bool):
  %n : NoneType = prim::Constant()
  %dead : Tensor = aten::relu(%x)
  %a : Tensor? = prim::If(%c)
    block0():
      -> (%x)
    block1():
      -> (%x)
  %b : Tensor? = prim::If(%c)
    block0():
      -> (%n)
    block1():
      -> (%x)
  %d : Tensor? = prim::If(%c)
    block0():
      -> (%y)
    block1():
      -> (%x)
  %k : (Tensor?, Tensor?, Tensor?) = prim::TupleConstruct(%a, %b, %d)
  return (%k)
"""),
    ("joins what is joined again", "PeepholeOptimize", """
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %l : Tensor[] = prim::ListConstruct(%x, %y)
  %a : Tensor = aten::cat(%l, %one)
  %m : Tensor[] = prim::ListConstruct(%y, %a)
  %b : Tensor = aten::cat(%m, %one)
  %k : Tensor[] = prim::ListConstruct(%b, %x)
  %c : Tensor = aten::cat(%k, %one)
  return (%c)
"""),
    ("leaves joins that others read", "PeepholeOptimize", """
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %zero : int = prim::Constant[value=0]()
  %l : Tensor[] = prim::ListConstruct(%x, %y)
  %a : Tensor = aten::cat(%l, %one)
  %m : Tensor[] = prim::ListConstruct(%y, %a)
  %b : Tensor = aten::cat(%m, %one)
  %k : Tensor[] = prim::ListConstruct(%b, %x)
  %c : Tensor = aten::cat(%k, %zero)
  %d : Tensor = aten::add(%a, %c, %one)
  return (%d)
"""),
    ("unwraps what is there", "PeepholeOptimize", """
graph(%x : Tensor, %y : Tensor?):
  %a : Tensor = prim::unchecked_unwrap_optional(%x)
  %b : Tensor = prim::unchecked_unwrap_optional(%y)
  %c : Tensor = aten::mul(%a, %b)
  return (%c)
"""),
    ("sees through numbers as tensors", "PeepholeOptimize", """
graph(%x : int, %y : float):
  %a : Tensor = prim::NumToTensor(%x)
  %b : int = aten::Int(%a)
  %c : Tensor = prim::NumToTensor(%y)
  %d : float = aten::Float(%c)
  %k : (int, float) = prim::TupleConstruct(%b, %d)
  return (%k)
"""),
    ("sees the condition itself", "PeepholeOptimize", """
graph(%c : bool, %x : Tensor):
  %t : bool = prim::Constant[value=1]()
  %f : bool = prim::Constant[value=0]()
  %r : bool = prim::If(%c)
    block0():
      -> (%t)
    block1():
      -> (%f)
  return (%r)
"""),
    ("sees elements of lists just made", "PeepholeOptimize", """
graph(%x : Tensor, %y : Tensor):
  %zero : int = prim::Constant[value=0]()
  %last : int = prim::Constant[value=-1]()
  %l : Tensor[] = prim::ListConstruct(%x, %y)
  %a : Tensor = aten::__getitem__(%l, %zero)
  %b : Tensor = aten::__getitem__(%l, %last)
  %n : int = aten::len(%l)
  %p : Tensor, %q : Tensor = prim::ListUnpack(%l)
  %k : (Tensor, Tensor, int, Tensor, Tensor) = prim::TupleConstruct(%a, %b, %n, %p, %q)
  return (%k)
"""),
    ("leaves lists that are written", "PeepholeOptimize", """
graph(%x : Tensor, %y : Tensor):
  %zero : int = prim::Constant[value=0]()
  %l : Tensor[] = prim::ListConstruct(%x)
  %m : Tensor[] = aten::append(%l, %y)
  %n : int = aten::len(%l)
  return (%n)
"""),
    ("transposes twice", "PeepholeOptimize", """
graph(%x : Tensor):
  %a : Tensor = aten::t(%x)
  %b : Tensor = aten::t(%a)
  %c : Tensor = aten::relu(%b)
  return (%c)
"""),
    ("knows the dimensions of a convolution", "PeepholeOptimize", """
graph(%x : Tensor, %w : Tensor, %b : Tensor?, %l : int[], %i : int):
  %y : Tensor = aten::conv2d(%x, %w, %b, %l, %l, %l, %i)
  %d : int = aten::dim(%y)
  %e : int = aten::dim(%x)
  %r : (int, int) = prim::TupleConstruct(%d, %e)
  return (%r)
"""),
    ("unrolls a small loop", "UnrollConstantLoops, ConstantPropagation", """
graph(%x : Tensor):
  %three : int = prim::Constant[value=3]()
  %t : bool = prim::Constant[value=1]()
  %r : Tensor = prim::Loop(%three, %t, %x)
    block0(%i : int, %a : Tensor):
      %d : Tensor = aten::add(%a, %i, %three)
      -> (%t, %d)
  return (%r)
"""),
    ("leaves unknown numbers of rounds", "UnrollConstantLoops, ConstantPropagation", """
graph(%x : Tensor, %many : int):
  %t : bool = prim::Constant[value=1]()
  %r : Tensor = prim::Loop(%many, %t, %x)
    block0(%i : int, %a : Tensor):
      %d : Tensor = aten::relu(%a)
      -> (%t, %d)
  return (%r)
"""),
    ("takes chunks one by one", "CanonicalizeOps", """
graph(%x : Tensor, %n : int):
  %two : int = prim::Constant[value=2]()
  %one : int = prim::Constant[value=1]()
  %l : Tensor[] = aten::chunk(%x, %two, %one)
  %a : Tensor, %b : Tensor = prim::ListUnpack(%l)
  %m : Tensor[] = aten::chunk(%x, %n, %one)
  %c : Tensor, %d : Tensor = prim::ListUnpack(%m)
  %e : Tensor = aten::mul(%a, %b)
  %f : Tensor = aten::mul(%c, %d)
  %g : Tensor = aten::mul(%e, %f)
  return (%g)
"""),
    ("takes chunks by their index", "CanonicalizeOps", """
graph(%x : Tensor):
  %two : int = prim::Constant[value=2]()
  %one : int = prim::Constant[value=1]()
  %zero : int = prim::Constant[value=0]()
  %l : Tensor[] = aten::chunk(%x, %two, %one)
  %a : Tensor = aten::__getitem__(%l, %one)
  %b : Tensor = aten::__getitem__(%l, %zero)
  %e : Tensor = aten::mul(%a, %b)
  return (%e)
"""),
    ("removes implicit expansions", "RemoveExpands", """
graph(%x : Tensor):
  %two : int = prim::Constant[value=2]()
  %t : bool = prim::Constant[value=1]()
  %f : bool = prim::Constant[value=0]()
  %l : int[] = prim::ListConstruct(%two, %two)
  %c : Tensor = aten::expand(%x, %l, %t)
  %d : Tensor = aten::expand(%c, %l, %f)
  return (%d)
"""),
    ("writes addmm out", "DecomposeOps", """
graph(%x : Tensor, %y : Tensor, %z : Tensor):
  %one : int = prim::Constant[value=1]()
  %two : int = prim::Constant[value=2]()
  %c : Tensor = aten::addmm(%x, %y, %z, %one, %one)
  %d : Tensor = aten::addmm(%x, %y, %c, %two, %one)
  return (%d)
"""),
    ("makes new tensors", "RemoveInplaceOps", """
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::relu(%x)
  %c : Tensor = aten::add_(%a, %y, %one)
  %d : Tensor = aten::sigmoid(%y)
  %e : Tensor = aten::mul_(%d, %c)
  %f : Tensor = aten::tanh(%y)
  %g : Tensor = aten::zero_(%f)
  %h : (Tensor, Tensor) = prim::TupleConstruct(%e, %f)
  return (%h)
"""),
    ("makes new tensors where nobody sees it", "RemoveTensorMutation", """
graph(%x : Tensor, %y : Tensor, %z : Tensor):
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::relu(%x)
  %c : Tensor = aten::add_(%a, %y, %one)
  %b : Tensor = aten::sigmoid(%x)
  %e : Tensor = aten::relu_(%b)
  %g : Tensor = aten::relu_(%z)
  %h : Tensor = aten::tanh(%x)
  %i : Tensor = aten::zero_(%h)
  %v : Tensor = aten::exp(%x)
  %w : Tensor = aten::t(%v)
  %u : Tensor = aten::mul_(%v, %y)
  %f : (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor) = prim::TupleConstruct(%a, %c, %e, %h, %i, %w)
  return (%f)
"""),
    ("leaves what is written in a branch", "RemoveTensorMutation", """
graph(%x : Tensor, %y : Tensor, %c : bool):
  %a : Tensor = aten::relu(%x)
  %r : Tensor = prim::If(%c)
    block0():
      %b : Tensor = aten::mul_(%a, %y)
      -> (%b)
    block1():
      %d : Tensor = aten::tanh(%y)
      %e : Tensor = aten::mul_(%d, %y)
      -> (%d)
  %f : Tensor = aten::mul(%r, %a)
  return (%f)
"""),
    ("leaves what is seen through a view of a tensor it made", "RemoveTensorMutation", """
graph(%x : Tensor):
  %zero : int = prim::Constant[value=0]()
  %one : int = prim::Constant[value=1]()
  %none : NoneType = prim::Constant()
  %y : Tensor = aten::clone(%x, %none)
  %a : Tensor = aten::add_(%y, %one, %one)
  %v : Tensor = aten::select(%a, %zero, %one)
  %b : Tensor = aten::mul_(%v, %x)
  return (%a)
"""),
    ("takes inputs and outputs apart", "LowerAllTuples", """
graph(%x : (Tensor, (int, Tensor)), %n : int):
  %one : int = prim::Constant[value=1]()
  %a : Tensor, %b : (int, Tensor) = prim::TupleUnpack(%x)
  %d : Tensor = aten::relu(%a)
  %e : (Tensor, (int, Tensor)) = prim::TupleConstruct(%d, %b)
  %f : (int, Tensor) = prim::TupleIndex(%e, %one)
  %g : ((int, Tensor), Tensor) = prim::TupleConstruct(%f, %d)
  return (%g)
"""),
    ("takes carried values apart", "LowerAllTuples", """
graph(%x : Tensor, %n : int):
  %t : bool = prim::Constant[value=1]()
  %s : (Tensor, Tensor) = prim::TupleConstruct(%x, %x)
  %r : (Tensor, Tensor) = prim::Loop(%n, %t, %s)
    block0(%i : int, %p : (Tensor, Tensor)):
      %a : Tensor, %b : Tensor = prim::TupleUnpack(%p)
      %c : Tensor = aten::relu(%b)
      %q : (Tensor, Tensor) = prim::TupleConstruct(%c, %a)
      -> (%t, %q)
  return (%r)
"""),
    ("takes the results of branches apart", "LowerAllTuples", """
graph(%x : Tensor, %c : bool):
  %r : (Tensor, Tensor) = prim::If(%c)
    block0():
      %a : Tensor = aten::relu(%x)
      %p : (Tensor, Tensor) = prim::TupleConstruct(%x, %a)
      -> (%p)
    block1():
      %b : Tensor = aten::tanh(%x)
      %q : (Tensor, Tensor) = prim::TupleConstruct(%b, %x)
      -> (%q)
  %d : Tensor, %e : Tensor = prim::TupleUnpack(%r)
  %f : Tensor = aten::mul(%d, %e)
  return (%f)
"""),
    ("repeats few rounds", "UnrollLoops", """
graph(%x : Tensor):
  %n : int = prim::Constant[value=3]()
  %t : bool = prim::Constant[value=1]()
  %one : int = prim::Constant[value=1]()
  %r : Tensor = prim::Loop(%n, %t, %x)
    block0(%i : int, %a : Tensor):
      %d : Tensor = aten::add(%a, %i, %one)
      -> (%t, %d)
  return (%r)
"""),
    ("repeats eight rounds in one", "UnrollLoops", """
graph(%x : Tensor, %n : int):
  %t : bool = prim::Constant[value=1]()
  %one : int = prim::Constant[value=1]()
  %r : Tensor = prim::Loop(%n, %t, %x)
    block0(%i : int, %a : Tensor):
      %d : Tensor = aten::add(%a, %i, %one)
      -> (%t, %d)
  return (%r)
"""),
    ("leaves while loops", "UnrollLoops", """
graph(%x : Tensor, %n : int, %c : bool):
  %r : Tensor = prim::Loop(%n, %c, %x)
    block0(%i : int, %a : Tensor):
      %d : Tensor = aten::relu(%a)
      %e : bool = aten::lt(%i, %n)
      -> (%e, %d)
  return (%r)
"""),
    ("adds products up in one", "BatchMM", """
graph(%a : Tensor, %b : Tensor):
  %one : int = prim::Constant[value=1]()
  %p : Tensor = aten::mm(%a, %b)
  %q : Tensor = aten::mm(%b, %a)
  %r : Tensor = aten::mm(%a, %a)
  %s : Tensor = aten::mm(%b, %b)
  %t : Tensor = aten::add(%p, %q, %one)
  %u : Tensor = aten::add(%t, %r, %one)
  %v : Tensor = aten::add(%u, %s, %one)
  return (%v)
"""),
    ("leaves few products", "BatchMM", """
graph(%a : Tensor, %b : Tensor):
  %one : int = prim::Constant[value=1]()
  %p : Tensor = aten::mm(%a, %b)
  %q : Tensor = aten::mm(%b, %a)
  %r : Tensor = aten::mm(%a, %a)
  %t : Tensor = aten::add(%p, %q, %one)
  %u : Tensor = aten::add(%t, %r, %one)
  return (%u)
"""),
    ("joins products with one left operand", "BatchMM", """
graph(%a : Tensor, %b0 : Tensor, %b1 : Tensor, %b2 : Tensor, %b3 : Tensor, %b4 : Tensor, %b5 : Tensor, %b6 : Tensor, %b7 : Tensor):
  %m0 : Tensor = aten::mm(%a, %b0)
  %m1 : Tensor = aten::mm(%a, %b1)
  %m2 : Tensor = aten::mm(%a, %b2)
  %m3 : Tensor = aten::mm(%a, %b3)
  %m4 : Tensor = aten::mm(%a, %b4)
  %m5 : Tensor = aten::mm(%a, %b5)
  %m6 : Tensor = aten::mm(%a, %b6)
  %m7 : Tensor = aten::mm(%a, %b7)
  %l : Tensor[] = prim::ListConstruct(%m0, %m1, %m2, %m3, %m4, %m5, %m6, %m7)
  return (%l)
"""),
    ("joins products with one right operand", "BatchMM", """
graph(%a : Tensor, %b0 : Tensor, %b1 : Tensor, %b2 : Tensor, %b3 : Tensor, %b4 : Tensor, %b5 : Tensor, %b6 : Tensor, %b7 : Tensor):
  %m0 : Tensor = aten::mm(%b0, %a)
  %m1 : Tensor = aten::mm(%b1, %a)
  %m2 : Tensor = aten::mm(%b2, %a)
  %m3 : Tensor = aten::mm(%b3, %a)
  %m4 : Tensor = aten::mm(%b4, %a)
  %m5 : Tensor = aten::mm(%b5, %a)
  %m6 : Tensor = aten::mm(%b6, %a)
  %m7 : Tensor = aten::mm(%b7, %a)
  %l : Tensor[] = prim::ListConstruct(%m0, %m1, %m2, %m3, %m4, %m5, %m6, %m7)
  return (%l)
"""),
    ("sees linear layers", "FuseLinear", """
graph(%x : Tensor, %w : Tensor, %b : Tensor):
  %one : int = prim::Constant[value=1]()
  %two : int = prim::Constant[value=2]()
  %t : Tensor = aten::t(%w)
  %y : Tensor = aten::addmm(%b, %x, %t, %one, %one)
  %t2 : Tensor = aten::t(%w)
  %z : Tensor = aten::matmul(%y, %t2)
  %a : Tensor = aten::add(%z, %b, %one)
  %t3 : Tensor = aten::t(%w)
  %c : Tensor = aten::addmm(%a, %x, %t3, %two, %one)
  return (%c)
"""),
    ("sees linear layers that add in place", "FuseLinear", """
graph(%x : Tensor, %w : Tensor, %b : Tensor):
  %one : int = prim::Constant[value=1]()
  %t : Tensor = aten::t(%w)
  %z : Tensor = aten::matmul(%x, %t)
  %a : Tensor = aten::add_(%z, %b, %one)
  %c : Tensor = aten::relu(%a)
  return (%c)
"""),
    ("joins and cuts lists", "PeepholeOptimizeListIdioms", """
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %n : NoneType = prim::Constant()
  %l : Tensor[] = prim::ListConstruct(%x, %y, %x)
  %m : Tensor[] = aten::slice(%l, %one, %n, %one)
  %k : Tensor[] = aten::add(%l, %m)
  %s : int = aten::len(%k)
  %q : (Tensor[], int) = prim::TupleConstruct(%k, %s)
  return (%q)
"""),
    ("leaves lists that are written to", "PeepholeOptimizeListIdioms", """
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %n : NoneType = prim::Constant()
  %l : Tensor[] = prim::ListConstruct(%x, %y, %x)
  %a : Tensor[] = aten::append(%l, %y)
  %m : Tensor[] = aten::slice(%l, %one, %n, %one)
  return (%m)
"""),
    ("knows the number of sizes", "PeepholeOptimizeListIdioms", """
graph(%x : Float(*, *, *), %y : Tensor):
  %zero : int = prim::Constant[value=0]()
  %s : int[] = aten::size(%x)
  %n : int = aten::len(%s)
  %t : int[] = aten::size(%y)
  %m : int = aten::len(%t)
  %q : (int, int) = prim::TupleConstruct(%n, %m)
  return (%q)
"""),
    ("takes two dimensions for one", "TransformConv1dToConv2d", """
graph(%x : Tensor, %w : Tensor, %b : Tensor?, %s : int[], %p : int[], %d : int[], %g : int):
  %a : Tensor = aten::conv1d(%x, %w, %b, %s, %p, %d, %g)
  return (%a)
"""),
    ("adds and cuts off at once", "FuseAddRelu", """
graph(%x : Tensor, %y : Tensor):
  %one : int = prim::Constant[value=1]()
  %a : Tensor = aten::add(%x, %y, %one)
  %b : Tensor = aten::relu(%a)
  %c : Tensor = aten::add(%b, %y, %one)
  %d : Tensor = aten::relu(%c)
  %e : Tensor = aten::mul(%c, %d)
  return (%e)
"""),
    ("leaves lists that may change", "ConstantPropagationImmutableTypes", """
graph(%x : Tensor):
  %a : int = prim::Constant[value=3]()
  %b : int = aten::mul(%a, %a)
  %l : int[] = prim::ListConstruct(%b, %a)
  %y : Tensor = aten::reshape(%x, %l)
  return (%y)
"""),
    ("makes lists of what is appended", "RemoveListMutation", """
graph(%x : Tensor, %y : Tensor):
  %l : Tensor[] = prim::ListConstruct(%x)
  %m : Tensor[] = aten::append(%l, %y)
  %k : Tensor[] = aten::append(%l, %x)
  %n : int = aten::len(%l)
  return (%n)
"""),
    ("makes lists of what is inserted", "RemoveListMutation", """
graph(%x : Tensor, %y : Tensor):
  %zero : int = prim::Constant[value=0]()
  %minus : int = prim::Constant[value=-1]()
  %l : Tensor[] = prim::ListConstruct(%x, %x)
  aten::insert(%l, %zero, %y)
  aten::insert(%l, %minus, %y)
  return (%l)
"""),
    ("leaves what is inserted somewhere", "RemoveListMutation", """
graph(%x : Tensor, %y : Tensor, %i : int):
  %l : Tensor[] = prim::ListConstruct(%x, %x)
  aten::insert(%l, %i, %y)
  return (%l)
"""),
    ("leaves what is read before", "RemoveListMutation", """
graph(%x : Tensor, %y : Tensor):
  %l : Tensor[] = prim::ListConstruct(%x)
  %n : int = aten::len(%l)
  %m : Tensor[] = aten::append(%l, %y)
  %k : (int, Tensor[]) = prim::TupleConstruct(%n, %l)
  return (%k)
"""),
    ("leaves dicts that are written", "RemoveListMutation", """
graph(%x : Tensor, %y : Tensor):
  %a : str = prim::Constant[value="a"]()
  %b : str = prim::Constant[value="b"]()
  %d : Dict(str, Tensor) = prim::DictConstruct(%a, %x)
  aten::_set_item(%d, %b, %y)
  return (%d)
"""),
    ("looks up what was put in", "PeepholeOptimizeDictIdioms, DCE", """
graph(%x : Tensor, %y : Tensor):
  %a : str = prim::Constant[value="a"]()
  %b : str = prim::Constant[value="b"]()
  %d : Dict(str, Tensor) = prim::DictConstruct(%a, %x, %b, %y)
  %e : Tensor = aten::__getitem__(%d, %b)
  %n : int = aten::len(%d)
  %q : (Tensor, int) = prim::TupleConstruct(%e, %n)
  return (%q)
"""),
    ("leaves keys that are not there", "PeepholeOptimizeDictIdioms, DCE", """
graph(%x : Tensor, %y : Tensor):
  %a : int = prim::Constant[value=1]()
  %b : int = prim::Constant[value=2]()
  %d : Dict(int, Tensor) = prim::DictConstruct(%a, %x)
  %e : Tensor = aten::__getitem__(%d, %b)
  return (%e)
"""),
    ("leaves keys that are not known", "PeepholeOptimizeDictIdioms, DCE", """
graph(%x : Tensor, %k : int):
  %a : int = prim::Constant[value=1]()
  %d : Dict(int, Tensor) = prim::DictConstruct(%a, %x, %k, %x)
  %n : int = aten::len(%d)
  return (%n)
"""),
    ("leaves dicts that are written", "PeepholeOptimizeDictIdioms, DCE", """
graph(%x : Tensor, %y : Tensor):
  %a : int = prim::Constant[value=1]()
  %d : Dict(int, Tensor) = prim::DictConstruct(%a, %x)
  aten::_set_item(%d, %a, %y)
  %e : Tensor = aten::__getitem__(%d, %a)
  return (%e)
"""),
    ("leaves keys that come twice", "PeepholeOptimizeDictIdioms, DCE", """
graph(%x : Tensor, %y : Tensor):
  %a : int = prim::Constant[value=1]()
  %d : Dict(int, Tensor) = prim::DictConstruct(%a, %x, %a, %y)
  %e : Tensor = aten::__getitem__(%d, %a)
  return (%e)
"""),
    ("adds the product to a matrix", "FuseAddMM, DCE", """
graph(%x : Float(2, 3), %a : Float(2, 4), %b : Float(4, 3)):
  %one : int = prim::Constant[value=1]()
  %two : int = prim::Constant[value=2]()
  %p : Float(2, 3) = aten::mm(%a, %b)
  %q : Float(2, 3) = aten::add(%p, %x, %one)
  %r : Float(2, 3) = aten::mm(%a, %b)
  %s : Float(2, 3) = aten::add(%q, %r, %one)
  %t : Float(2, 3) = aten::mm(%a, %b)
  %u : Float(2, 3) = aten::add(%s, %t, %two)
  return (%u)
"""),
    ("leaves what has no rank", "FuseAddMM, DCE", """
graph(%x : Tensor, %a : Float(2, 4), %b : Float(4, 3)):
  %one : int = prim::Constant[value=1]()
  %p : Float(2, 3) = aten::mm(%a, %b)
  %q : Tensor = aten::add(%p, %x, %one)
  return (%q)
"""),
    ("forgets shapes", "EraseShapeInformation", """
graph(%x : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu), %c : bool):
  %r : Float(2, 3) = prim::If(%c)
    block0():
      %a : Float(2, 3) = aten::relu(%x)
      -> (%a)
    block1():
      %b : Float(2, 3) = aten::tanh(%x)
      -> (%b)
  %l : Tensor[] = prim::ListConstruct(%r, %x)
  return (%l)
"""),
    ("knows what is in tuples", "RefineTupleTypes", """
graph(%x : Float(2, 3), %n : int):
  %t : (Tensor, int) = prim::TupleConstruct(%x, %n)
  %u : (Tensor, (Tensor, int)) = prim::TupleConstruct(%x, %t)
  return (%u)
"""),
    ("knows numbers in branches", "RefineIntegerValues", """
graph(%x : Tensor, %n : int):
  %three : int = prim::Constant[value=3]()
  %c : bool = aten::eq(%n, %three)
  %r : Tensor = prim::If(%c)
    block0():
      %a : Tensor = aten::add(%x, %n, %n)
      -> (%a)
    block1():
      %b : Tensor = aten::mul(%x, %n)
      -> (%b)
  %d : Tensor = aten::mul(%r, %n)
  return (%d)
"""),
    ("knows numbers behind what raises", "RefineIntegerValues", """
graph(%x : Tensor, %n : int):
  %three : int = prim::Constant[value=3]()
  %s : str = prim::Constant[value="no"]()
  %none : NoneType = prim::Constant()
  %c : bool = aten::ne(%n, %three)
  prim::If(%c)
    block0():
      prim::RaiseException(%s, %none)
      -> ()
    block1():
      -> ()
  %d : Tensor = aten::mul(%x, %n)
  return (%d)
"""),
    ("takes what was put together apart", "LowerSimpleTuples, DCE", """
graph(%x : Tensor, %y : int):
  %one : int = prim::Constant[value=1]()
  %t : (Tensor, int) = prim::TupleConstruct(%x, %y)
  %a : Tensor, %b : int = prim::TupleUnpack(%t)
  %c : int = prim::TupleIndex(%t, %one)
  %d : Tensor = aten::add(%a, %b, %c)
  return (%d)
"""),
]

for title, name, text in CASES:
    graph = torch._C.parse_ir(text)
    before = str(graph)
    PASSES[name](graph)
    print(f"=== {name}: {title}\n{before}---\n{graph}", end="")
