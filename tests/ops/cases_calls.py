# SPDX-License-Identifier: Apache-2.0
"""Operators that few programs call: on lists of tensors, gradients by name, interpolation by mode, overloads."""
import torch

from cases_view import t

UNARY = """abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round sigmoid sin
sinh sqrt tan tanh trunc""".split()


def plain(c, op, *args, **more):
    c.call("aten::" + op, *args, tolerance=1e-5, **more)


def graded(c, op, *args):
    plain(c, op, *args, grads=True)


def add_lists(c):
    x = torch.tensor([0.25, 0.5, 0.75])
    pair = [x, x[:2] * 0.5]
    for name in UNARY:
        plain(c, "_foreach_" + name, pair)
        plain(c, "_foreach_" + name + "_", pair)
    plain(c, "_foreach_exp.out", pair, [torch.zeros(3), torch.zeros(2)])
    plain(c, "_foreach_zero_", pair)
    for name in ("add", "sub", "mul", "div"):
        plain(c, "_foreach_%s.Scalar" % name, pair, 2.5)
        plain(c, "_foreach_%s_.Scalar" % name, pair, 2.5)
        plain(c, "_foreach_%s.ScalarList" % name, pair, [2.5, -1.0])
        plain(c, "_foreach_%s_.ScalarList" % name, pair, [2.5, -1.0])
        plain(c, "_foreach_%s.List" % name, pair, [x + 1, x[1:]])
        plain(c, "_foreach_%s_.List" % name, pair, [x + 1, x[1:]])
        plain(c, "_foreach_%s.List" % name, pair, [x + 1])
        plain(c, "_foreach_%s.ScalarList" % name, pair, [2.5])
    plain(c, "_foreach_add.List", pair, [x + 1, x[1:]], 3)
    plain(c, "_foreach_add_.Scalar", [torch.tensor([1, 2])], 1.5)
    for name in ("maximum", "minimum"):
        plain(c, "_foreach_%s.List" % name, pair, [1 - x, x[1:]])
        plain(c, "_foreach_%s_.List" % name, pair, [1 - x, x[1:]])
    for name in ("addcmul", "addcdiv"):
        lists = ([x + 1, x[1:]], [x - 1, x[:2] + 2])
        plain(c, "_foreach_%s.Scalar" % name, pair, *lists, 0.5)
        plain(c, "_foreach_%s_.Scalar" % name, pair, *lists, 0.5)
        plain(c, "_foreach_%s.ScalarList" % name, pair, *lists, [0.5, 2.0])
        plain(c, "_foreach_%s_.ScalarList" % name, pair, *lists, [0.5, 2.0])
        plain(c, "_foreach_%s.ScalarList" % name, pair, *lists, [0.5])
    plain(c, "_foreach_norm.Scalar", pair, 1)
    plain(c, "_foreach_norm.Scalar", pair)


def add_gradients(c):
    g = t(2, 3)
    graded(c, "glu_backward", g, t(2, 6), 1)
    graded(c, "glu_backward", g, t(4, 3), 0)
    plain(c, "glu_backward", t(2, 2).detach(), t(2, 3).detach(), 1)
    plain(c, "glu_jvp", t(2, 3).detach(), t(2, 6).detach(), t(2, 6).detach() + 1, 1)
    x, dx = t(2, 6).detach() / 7, t(2, 6).detach() - 0.3
    plain(c, "glu_backward_jvp", torch.ops.aten.glu_backward(g.detach(), x, 1), g.detach(), x, g.detach() * 2, dx, 1)
    inside = torch.tensor([0.1, 0.4, 0.95])
    plain(c, "logit_backward", t(3).detach(), inside)
    plain(c, "logit_backward", t(3).detach(), inside, 0.2)
    graded(c, "infinitely_differentiable_gelu_backward", g, t(2, 3))
    plain(c, "prelu_backward", g.detach(), t(2, 3).detach() - 0.2, torch.tensor([0.1, 0.2, 0.3]))
    plain(c, "cumprod_backward", g.detach(), t(2, 3).detach(), 1, t(2, 3).detach().cumprod(1))
    plain(c, "cummaxmin_backward", g.detach(), t(2, 3).detach(), torch.tensor([[0, 0, 2], [0, 1, 1]]), 1)
    plain(c, "conv_tbc_backward", t(5, 2, 4).detach(), t(5, 2, 3).detach(), t(3, 3, 4).detach(), t(4).detach(), 1)
    v = t(2, 3).detach()
    norms = v.norm(dim=1, keepdim=True)
    plain(c, "_weight_norm_interface_backward", g.detach(), v, torch.tensor([[1.0], [2.0]]), norms, 0)
    noise = torch.tensor([[0.2, 1.0, 0.3], [1.0, 0.1, 1.0]])
    for training in (False, True):
        graded(c, "rrelu_with_noise_backward", g, t(2, 3).detach(), noise, 0.1, 0.3, training, False)
    plain(c, "rrelu_with_noise", t(2, 3).detach() - 1, torch.zeros(2, 3), 0.1, 0.3, False)
    plain(c, "rrelu_with_noise", t(2, 3).detach(), torch.zeros(2, 3), 0.3, 0.1, False)
    for loss, more in (("mse", ()), ("huber", (0.5,)), ("smooth_l1", (0.5,))):
        for shape in ((2, 2, 3), (3,), (3, 3)):  # the gradient takes part in broadcasting, or does not fit
            plain(c, loss + "_loss_backward", t(*shape).detach(), t(2, 3).detach(), t(3).detach() - 1, 1, *more)
    alpha = torch.tensor([0.5, 1.0, 3.0, 20.0], dtype=torch.double)
    c.call("aten::_standard_gamma_grad", alpha, torch.tensor([0.7, 1.0, 2.0, 25.0], dtype=torch.double), tolerance=2e-3)
    c.call("aten::_dirichlet_grad", alpha[:2] * 0.5, alpha[:2], alpha[:2] + 2, tolerance=2e-2)


def add_overloads(c):
    i = torch.tensor([1, 2, 6])
    for name in ("and", "or", "xor", "left_shift", "right_shift"):
        plain(c, "bitwise_%s.Scalar_Tensor" % name, 3, i)
    plain(c, "float_power.Scalar", 2.0, t(3).detach())
    plain(c, "float_power_.Scalar", t(3).detach().double(), 2)
    plain(c, "float_power_.Scalar", t(3).detach(), 2)
    plain(c, "float_power_.Tensor", t(3).detach().double(), i)
    plain(c, "round_.decimals", t(3).detach() / 7, 2)
    plain(c, "_add_relu.Tensor", t(2, 3).detach(), t(3).detach() - 1)
    plain(c, "_add_relu.Scalar", t(3).detach(), -0.5)
    plain(c, "_add_relu_.Tensor", t(3).detach(), -t(3).detach(), 2)
    for gelu in (False, True):
        plain(c, "_addmm_activation", t(3).detach(), t(2, 4).detach(), t(4, 3).detach() - 1, 1, 1, gelu)
    plain(c, "_aminmax", t(2, 3).detach())
    plain(c, "_aminmax.dim", t(2, 3).detach(), 1)
    for values in ([1.0], [0.0], [1.0, 2.0]):
        plain(c, "_assert_async", torch.tensor(values))
    plain(c, "_conj_copy", torch.tensor([1 + 2j]))
    plain(c, "_neg_view_copy", t(3).detach())
    plain(c, "_dim_arange", t(2, 3).detach(), 1)
    plain(c, "_logcumsumexp", t(2, 3).detach(), 1)
    plain(c, "linalg_diagonal", t(2, 3, 4).detach(), 1)
    plain(c, "embedding_renorm", t(4, 3).detach(), i[:2], 1.0, 2.0)
    plain(c, "copy", t(2, 3).detach(), torch.arange(3))
    plain(c, "resize", t(2, 3).detach(), [2])
    plain(c, "set", t(3).detach())
    plain(c, "set.source_Tensor", t(3).detach(), t(2).detach())
    plain(c, "view_copy.dtype", t(3).detach(), torch.int32)
    plain(c, "_debug_has_internal_overlap", torch.ones(3))
    image = t(1, 2, 5, 5)
    graded(c, "_convolution.deprecated", image, t(3, 2, 3, 3), t(3), [1, 1], [1, 1], [1, 1], False, [0, 0], 1, False, False, True)
    for invalid in (torch.tensor([-1.0]), torch.tensor([1])):
        plain(c, "poisson", invalid)
    plain(c, "binomial", torch.tensor([1]), torch.tensor([0.5]))


def add_complex_halves(c):
    z = torch.tensor([[1 + 2j, -0.5 + 0.25j], [3 - 4j, 0]], dtype=torch.complex32)
    plain(c, "chalf", t(2, 3).detach())
    plain(c, "chalf", z.to(torch.complex64))
    for name in ("abs", "neg", "sgn", "conj_physical", "isfinite", "isinf", "clone", "view_as_real", "real", "imag"):
        plain(c, name, z)
    for name in ("add.Tensor", "sub.Tensor", "mul.Tensor", "eq.Tensor", "ne.Tensor"):
        plain(c, name, z, z.t())
    plain(c, "add.Tensor", z, z.real)
    plain(c, "mul.Tensor", z, torch.tensor(0.5))
    plain(c, "mul.Tensor", z.real, z.to(torch.complex64))
    plain(c, "mul.Scalar", z.real, 1j)
    plain(c, "view_as_complex", torch.view_as_real(z))
    plain(c, "complex", z.real.contiguous(), z.imag.contiguous())
    plain(c, "cat", [z, z], 1)
    plain(c, "roll", z, [1], [0])
    plain(c, "where.self", z.real > 0, z, -z)
    plain(c, "masked_fill.Scalar", z, z.real > 0, 2 + 1j)
    plain(c, "index_select", z, 1, torch.tensor([1, 1, 0]))
    plain(c, "index_add", z, 0, torch.tensor([1, 1]), z)
    plain(c, "nonzero", z)
    plain(c, "zeros", [2], torch.complex32)
    plain(c, "to.dtype", z, torch.int64)
    plain(c, "mm", z, z)
    x = t(3).half().detach().requires_grad_()
    graded(c, "chalf", x)


def add_internal(c):
    torch.manual_seed(3)
    x, w, g = torch.randn(2, 3, 5, 5), torch.randn(4, 3, 3, 3), torch.randn(2, 4, 3, 3)
    for kinds in ((True, True, True), (True, False, True), (False, True, False)):
        gg = [torch.randn_like(v) if k else None for v, k in zip((x, w, torch.zeros(4)), kinds)]
        plain(c, "_convolution_double_backward", *gg, g, w, x, [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    same = torch.randn(2, 4, 5, 5)
    plain(c, "_slow_conv2d_backward.output_mask", same, x, w, [3, 3], [1, 1], [1, 1], [True, True, True])
    plain(c, "batch_norm_update_stats", x, torch.zeros(3), torch.ones(3), 0.1)
    plain(c, "batch_norm_update_stats", x, None, None, 0.1)
    table, rows, starts = torch.randn(5, 3), torch.tensor([0, 2, 3, 1, 3, 4]), torch.tensor([0, 2, 5])
    grad = torch.randn(3, 3)
    for mode in (0, 1, 2):
        weights = torch.rand(6) if mode == 0 else None
        bag = torch.ops.aten._embedding_bag(table, rows, starts, False, mode, False, weights, False, 3)
        # Not scaled by frequency: there PyTorch divides by the count of another row.
        plain(c, "_embedding_bag_backward", grad, rows, starts, bag[1], bag[2], bag[3], 5, False, mode, False, weights, 3)
        plain(c, "_embedding_bag_dense_backward", grad, rows, bag[1] if bag[1].numel() else torch.tensor([0, 0, 1, 1, 1, 2]),
              bag[2], bag[3], 5, False, mode, weights, 3)
    plain(c, "_embedding_bag_per_sample_weights_backward", grad, table, rows, starts, torch.tensor([0, 0, 1, 1, 1, 2]), 0, 3)
    plain(c, "_embedding_bag_per_sample_weights_backward", grad, table, rows, starts, torch.tensor([0, 0, 1, 1, 1, 2]), 1, 3)
    scores, mask = torch.randn(2, 4), torch.tensor([[False, True, False, False], [True] * 4])
    for dim in (0, 1, None):
        for kind in (0, 1, 2, 3, None):
            plain(c, "_masked_softmax", scores, mask, dim, kind)
    plain(c, "_masked_softmax", torch.randn(2, 2, 3, 4), mask, 3, 1)
    plain(c, "_masked_softmax", scores, mask.float(), 1, 2)
    shares = torch.softmax(scores.masked_fill(mask[:1], -1e30), 1)
    plain(c, "_masked_softmax_backward", torch.randn(2, 4), shares, mask[:1].expand(2, 4).contiguous(), 1)
    plain(c, "_index_put_impl", scores, [torch.tensor([0, 1]), torch.tensor([2, 2])], torch.tensor([5.0, 6.0]), True)
    plain(c, "_index_put_impl_", scores, [None, torch.tensor([2, 0])], torch.tensor([5.0, 6.0]))
    plain(c, "split_copy.Tensor_out", scores, 2, 1, [torch.zeros(2, 2), torch.zeros(2, 2)])
    plain(c, "split_with_sizes_copy.out", scores, [1, 3], 1, [torch.zeros(2, 1), torch.zeros(2, 3)])
    plain(c, "unbind_copy.int_out", scores, 0, [torch.zeros(4), torch.zeros(4)])
    a, b = torch.randn(2, 3), torch.randn(3, 4)
    c.call("aten::einsum.sublist", a, [0, 1], b, [1, 2], [2, 0], graph=True, result="Tensor", tolerance=1e-5)
    c.call("aten::einsum.sublist", a, [0, 30], b, [30, 2], graph=True, result="Tensor", tolerance=1e-5)


def add(c):
    add_internal(c)
    add_complex_halves(c)
    add_lists(c)
    add_gradients(c)
    add_overloads(c)
