# SPDX-License-Identifier: Apache-2.0
"""Python numbers, strings, lists and dictionaries."""
import torch

INTS = [(7, 2), (-7, 2), (7, -2), (-7, -2), (0, 5), (6, 3)]
FLOATS = [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (0.1, 0.3), (7.5, 0.0), (float("inf"), 2.0), (float("nan"), 1.0)]
MIXED = [(7, 2.5), (-7, 2.5), (7, -0.5)]


def arithmetic(c):
    for name in "add sub mul floordiv remainder div fmod mathremainder pow eq ne lt le gt ge atan2 copysign".split():
        for args in INTS:
            c.call(f"aten::{name}.int", *args, tolerance=1e-15)
        for args in FLOATS:
            c.call(f"aten::{name}.float", *args, tolerance=1e-15)
        scalar = {"pow": "pow.Scalar_Scalar", "atan2": "atan2.Scalar_Scalar"}.get(name, name)
        for args in INTS[:3] + FLOATS[:3] + MIXED:
            c.call(f"aten::{scalar}", *args, tolerance=1e-15)
        if name != "div":
            for args in MIXED:
                c.call(f"aten::{name}.int_float", *args, tolerance=1e-15)
                c.call(f"aten::{name}.float_int", *args[::-1], tolerance=1e-15)
    for name in "add sub mul div pow eq ne".split():
        c.call(f"aten::{name}.complex", 1 + 2j, 3 - 1j, tolerance=1e-12)
    for name in "add sub mul".split():
        c.call(f"aten::{name}.complex_int", 1 + 2j, 3)
        c.call(f"aten::{name}.float_complex", 1.5, 3 - 1j)
    c.call("aten::floordiv.int", 7, 0)
    c.call("aten::remainder.int", 7, 0, error="division or modulo by zero")
    for args in INTS:
        c.call("aten::divmod.int", *args)
        c.call("aten::gcd.int", *args)
        c.call("aten::__round_to_zero_floordiv.int", *args)
        for name in "and or xor".split():
            c.call(f"aten::__{name}__.int", *args)
        for name in "min max".split():
            c.call(f"prim::{name}.int", *args)
    c.call("aten::divmod.float", 7.5, -2.0)
    c.call("aten::divmod.float", 7.5, 0.0)
    c.call("aten::__lshift__.int", 3, 4)
    c.call("aten::__rshift__.int", -9, 1)
    for x in (5, -3):
        c.call("aten::neg.int", x)
        c.call("prim::abs.int", x)
        c.call("prim::abs.Scalar", x)
    c.call("aten::neg.complex", 1 + 2j)
    c.call("prim::abs.float", -2.5)
    c.call("prim::abs.complex", 3 + 4j)


def mathematics(c):
    unary = ("sqrt exp expm1 log log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc gamma "
             "lgamma degrees radians fabs round angle ceil floor").split()
    for name in unary:
        for x in (0.5, 2.5, -2.5, 3.5):
            c.call(f"aten::{name}.float", x, tolerance=1e-14)
            c.call(f"aten::{name}.Scalar", x, tolerance=1e-7)
        c.call(f"aten::{name}.int", 3, tolerance=1e-14)
        c.call(f"aten::{name}.Scalar", 3, tolerance=1e-7)
    for name in "sqrt exp log log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh angle".split():
        c.call(f"aten::{name}.complex", 0.5 - 2j, tolerance=1e-12)
    c.call("aten::log.float_float", 8.0, 2.0, tolerance=1e-14)
    c.call("aten::polar.float", 2.0, 0.5, tolerance=1e-14)
    for n in (0, 5, 20, 25, -3):
        c.call("aten::factorial.int", n)
    c.call("aten::frexp", -2.5)
    c.call("aten::modf", -2.5)
    c.call("aten::ldexp", 1.5, 3)
    for x in (1.0, float("nan"), float("inf")):
        for name in "isnan isinf isfinite".split():
            c.call(f"aten::{name}.float", x)


def conversions(c):
    for i in (5, -300, 0):
        for name in "hex oct bin".split():
            c.call(f"aten::{name}", i)
    for text in ("1.5", "inf", " 1.5 ", "1.5x", "-2e3"):
        c.call("aten::Float.str", text)
    for text in ("12", "-7", "1x", "0x10", " 12 "):
        c.call("aten::Int.str", text)
    c.call("aten::ord", "a")
    c.call("aten::ord", "ab")
    c.call("aten::chr", 65)
    c.call("aten::chr", -3)
    c.call("aten::Bool.float", 0.5)
    c.call("aten::Int.float", -2.7)
    c.call("aten::Int.Scalar", 3.7)
    c.call("aten::Complex.int_float", 1, 2.0)
    for t in (torch.tensor(2.7), torch.tensor(True), torch.ones(2), torch.tensor(1), torch.ones(0), torch.ones(1)):
        for name in "Int.Tensor Float.Tensor Bool.Tensor item IntImplicit FloatImplicit ScalarImplicit is_nonzero".split():
            c.call(f"aten::{name}", t, tolerance=1e-7)
    for x in (3, 3.5):
        c.call("prim::NumToTensor.Scalar", x)


def lists(c):
    def t(op, *args, result="int"):
        c.call(op, *args, graph=True, result=result)

    for i in (0, -1, 2, -3):
        t("aten::__getitem__.t", [1, 2], i)
        c.call("aten::_set_item.t", [1, 2], i, 9, graph=True, result="int[]")
        c.call("aten::Delete.t", [1, 2], i, graph=True)
        t("aten::pop.t", [1, 2], i)
        c.call("aten::insert.t", [1, 2], i, 9, graph=True)
    t("aten::pop.t", [], -1)
    for bounds in ((None, None, -1), (4, 0, -2), (-3, -1, 1), (2, 1, 1), (-10, 10, 3), (10, -10, -3), (None, None, 0)):
        c.call("aten::slice.str", "12345", *bounds)
        if bounds[2] != 0:
            c.call("aten::slice.t", [1, 2, 3, 4, 5], *bounds, want=[1, 2, 3, 4, 5][slice(*bounds)])
        else:
            c.call("aten::slice.t", [1, 2, 3], *bounds, error="List slice should have non-zero step")
    t("aten::len.t", [1, 2])
    t("aten::add.t", [1], [2, 3], result="int[]")
    t("aten::mul.left_t", [1, 2], 2, result="int[]")
    t("aten::append.t", [1], 2, result="int[]")
    c.call("aten::extend.t", [1], [2], graph=True)
    c.call("aten::reverse.t", [1, 2, 3], graph=True)
    c.call("aten::clear.t", [1, 2, 3], graph=True)
    t("aten::copy.t", [1, 2], result="int[]")
    t("aten::list.t", [1, 2], result="int[]")
    c.call("aten::index.list_int", [1, 2], 2)
    c.call("aten::index.list_int", [1, 2], 3)
    c.call("aten::count.int", [1, 2, 1], 1)
    c.call("aten::remove.int", [1, 2], 3)
    c.call("aten::__contains__.int_list", [1, 2], 2)
    c.call("aten::__contains__.str_list", ["a"], "b")
    c.call("aten::sorted.int", [3, 1, 2])
    c.call("aten::sorted.str", ["b", "a"])
    c.call("aten::sorted.float", [2.0, -1.0])
    for name in "sum all any".split():
        c.call(f"aten::{name}.int", [1, 0, 3])
    c.call("aten::sum.bool", [True, True])
    c.call("aten::any.float", [])
    for name in "min max".split():
        c.call(f"prim::{name}.self_int", [3, 1, 2])
        c.call(f"prim::{name}.self_int", [])
        c.call(f"prim::{name}.self_float", [3.0, 1.5])
        c.call(f"prim::{name}.int_list", [1, 2], [1, 3])
    c.call("prim::rangelist", 3)
    for args in ((0, 10, 3), (10, 0, -3), (0, 0, 1), (0, 5, 0)):
        c.call("aten::__range_length", *args)
    c.call("aten::__derive_index", 2, 10, -3)
    c.call("aten::_infer_size", [2, 1], [1, 3])
    c.call("aten::_size_if_not_equal", [1], [2])
    c.call("prim::infer_squeeze_size", [1, 2, 1])
    c.call("prim::infer_unsqueeze_size", [2], -1)
    c.call("prim::ReductionSizes", [2, 3], [1], True)
    for kind, a, b in (("int", [1, 2], [1, 2]), ("float", [1.0], [2.0]), ("bool", [True], [True]), ("str", ["a"], ["a"])):
        c.call(f"aten::eq.{kind}_list", a, b)
        c.call(f"aten::ne.{kind}_list", a, b)


def dicts(c):
    def t(op, *args, result="int"):
        c.call(op, *args, graph=True, result=result)

    d = {"a": 1, "b": 2}
    for key in ("a", "z"):
        t("aten::__getitem__.Dict_str", d, key)
        t("aten::__contains__.str", d, key, result="bool")
        t("aten::get.default_str", d, key, 7)
        t("aten::get.str", d, key, result="int?")
        t("aten::pop.Dict_str", d, key)
        t("aten::pop.Dict_default_str", d, key, 7)
        t("aten::setdefault.str", d, key, 7)
        c.call("aten::Delete.Dict_str", d, key, graph=True)
        c.call("aten::_set_item.str", d, key, 7, graph=True)
    t("aten::__getitem__.Dict_int", {1: 1}, 2)
    t("aten::__getitem__.Dict_float", {1.0: 1}, 2.0)
    t("aten::keys.str", d, result="str[]")
    t("aten::values.str", d, result="int[]")
    t("aten::len.Dict_str", d)
    c.call("aten::update.str", d, {"b": 5, "c": 6}, graph=True)
    c.call("aten::clear.str", d, graph=True)


def strings(c):
    for s in ("Hello wORLD foo", "", "abc1", " ", "Ab Cd", "x\n", "123", "A1b"):
        for name in ("capitalize lower upper swapcase title isalnum isalpha isdecimal isdigit isidentifier islower "
                     "isnumeric isprintable isspace istitle isupper strip len.str list").split():
            c.call(f"aten::{name}", s, *([" \n\t\f\v"] if name == "strip" else []))
    for s, width, fill in (("ab", 5, "*"), ("ab", 6, " "), ("abc", 6, "*"), ("a", 5, "ab")):
        for name in "center ljust rjust".split():
            c.call(f"aten::{name}", s, width, fill)
    c.call("aten::zfill", "-12", 6)
    c.call("aten::expandtabs", "a\t\tb\n\tc", 4)
    for args in (("hello", "l", 0, -1), ("hello", "l", 3, -1), ("hello", "l", 4, -1), ("hello", "o", 0, 5), ("hello", "", 0, -1),
                 ("hello", "z", 0, -1), ("hello", "o", -2, -1), ("hello", "l", 0, 3)):
        for name in "find rfind index.str rindex startswith endswith".split():
            c.call(f"aten::{name}", *args)
    c.call("aten::count", "aaaa", "aa", 0, -1)
    c.call("aten::count", "abcabc", "bc", 2, 6)
    c.call("aten::join", ", ", ["a", "b"])
    c.call("aten::lstrip", "xxaxx", "x")
    c.call("aten::rstrip", "xxaxx", "x")
    for name in "partition rpartition".split():
        c.call(f"aten::{name}", "a.b.c", ".")
        c.call(f"aten::{name}", "abc", ".")
    c.call("aten::replace", "aaa", "a", "b", -1)
    c.call("aten::replace", "aaa", "a", "b", 2)
    for args in (("a b  c", None, -1), ("a b  c", " ", -1), ("a,b,c", ",", 1), ("", None, -1), ("", ",", -1), ("a,b", "", -1)):
        c.call("aten::split.str", *args)
    c.call("aten::rsplit", "a,b,c", ",", 1)
    c.call("aten::splitlines", "a\n\nb", False)
    c.call("aten::splitlines", "a\nb\n", False)
    for i in (0, -1):
        c.call("aten::__getitem__.str", "abc", i)
    c.call("aten::__getitem__.str", "abc", 3, error="string index out of range")
    c.call("aten::add.str", "a", "b")
    values = (1, 2.0, 1e20, 1e-7, 0.1, 1e6, 100.0, float("inf"), 1 / 3, "x\n", True, [1.0, 2.5], ["a", "b"], {"a": 1.5}, (1, "s"), (1,),
              1 + 2j, torch.device("cpu"))
    for value in values:
        c.call("aten::str", value, graph=True, result="str")
        c.call("aten::format", "<{}>", value, graph=True, result="str")
    for t in (torch.ones(2), torch.tensor(1.5), torch.tensor([[1.5, 20000.0], [3, 4]]), torch.arange(12.0).reshape(2, 2, 3),
              torch.tensor([1e-6, 1.0]), torch.tensor([True, False]), torch.zeros(0), torch.tensor([1, 20, 300]),
              torch.arange(60).reshape(2, 30) * 1.5, torch.tensor([float("nan"), 1.0, float("inf")])):
        c.call("aten::str", t, graph=True, result="str")
    c.call("aten::format", "{} {}", 1, graph=True, result="str")
    c.call("aten::format", "{}", 1, 2, graph=True, result="str")
    c.call("aten::format", "{0} {{}} {:5d}", 1, graph=True, result="str")
    c.call("aten::percentFormat", "%d %s %%", (1, "x"), graph=True, result="str")
    c.call("aten::percentFormat", "%d %d", 1, graph=True, result="str")
    c.call("aten::percentFormat", "%d", (1, 2), graph=True, result="str")
    c.call("aten::percentFormat", "%g", 1.5, graph=True, result="str")
    c.call("aten::percentFormat", "%s", [1], graph=True, result="str")
    c.call("aten::percentFormat", "%f %e %d", (1.5, 2.5, 3.9), graph=True, result="str")


def facts(c):
    for t in (torch.ones(2, 3), torch.ones(2, 3).t(), torch.tensor(1), torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last)):
        for name in "dim numel size stride len.Tensor is_floating_point is_complex is_contiguous element_size is_signed".split():
            c.call(f"aten::{name}", t)
        for d in (0, -1, 5):
            c.call("aten::size.int", t, d)
            c.call("aten::stride.int", t, d)
        c.call("aten::is_contiguous.memory_format", t, 2)
        c.call("prim::device", t)
        c.call("prim::is_cuda", t)
    c.call("aten::device", "cpu")
    c.call("prim::type", torch.device("cpu"))
    c.call("aten::__is__", None, None, want=True)
    c.call("aten::__isnot__", 1, None, want=True)
    c.call("aten::__not__", True)


def add(c):
    for part in (arithmetic, mathematics, conversions, lists, dicts, strings, facts):
        part(c)
