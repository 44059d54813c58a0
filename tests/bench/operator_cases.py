"""The operators that tests/bench/operators times: one expression each, which PyTorch and Tensorloupe both evaluate.

A case is a name, an expression over inputs, and a function from the number of elements of its data to the inputs. What `torch.` does
not have is taken from PyTorch's inner modules (torch._C._nn and the like), whose names model files use.
"""

import math
from dataclasses import dataclass, field
from typing import Callable

SIZES = {"1 KiB": 256, "1 MiB": 256 * 1024, "64 MiB": 16 * 1024 * 1024}


@dataclass
class Input:
    sizes: tuple
    dtype: str = "float32"
    fill: object = "normal"      # "positive": from 0.5 to 1.5; "bit": 0 or 1; a number: integers below it
    grad: bool = False
    is_data: bool = True         # stored in another order in the strided layout
    strides: tuple = ()

    def laid_out(self, layout):
        """A copy with strides: of images channels last, of others the last two dimensions exchanged."""
        order = list(range(len(self.sizes)))
        if layout == "strided" and self.is_data and len(order) >= 2:
            order = [0, 2, 3, 1] if len(order) == 4 else order[:-2] + [order[-1], order[-2]]
        strides, step = [0] * len(order), 1
        for d in reversed(order):
            strides[d] = step
            step *= self.sizes[d]
        return Input(self.sizes, self.dtype, self.fill, self.grad, self.is_data, tuple(strides))


@dataclass
class Case:
    name: str
    expression: str
    inputs: Callable
    backward: bool = True
    kind: str = "other"          # "pointwise" and "reduction" are held against the copy bandwidth
    bytes_per_element: int = 0   # read and written, for these


def square(n):
    """Rows and columns, powers of 2."""
    rows = 1 << (n.bit_length() - 1) // 2
    return rows, n // rows


def image(n):
    """N x C x H x W"""
    return {256: (1, 4, 8, 8), 256 * 1024: (4, 16, 64, 64)}.get(n, (16, 64, 128, 128))


def data(sizes, fill="normal", grad=True, dtype="float32"):
    return Input(tuple(sizes), dtype, fill, grad)


def weight(*sizes, grad=True, fill="normal", dtype="float32"):
    return Input(sizes, dtype, fill, grad, is_data=False)


def one(n):
    return {"x": data(square(n))}


def one_positive(n):
    return {"x": data(square(n), "positive")}


def one_without_grad(n):
    return {"x": data(square(n), grad=False)}


def two(n):
    return {"x": data(square(n)), "y": data(square(n))}


def two_positive(n):
    return {"x": data(square(n), "positive"), "y": data(square(n), "positive")}


def two_without_grad(n):
    return {"x": data(square(n), grad=False), "y": data(square(n), grad=False)}


def three(n):
    return {"x": data(square(n)), "y": data(square(n)), "z": data(square(n))}


def masked(n):
    return {"m": data(square(n), 2, False, "bool"), **one(n)}


def chosen(n):
    return {"m": data(square(n), 2, False, "bool"), **two(n)}


def indexed(n):
    rows, columns = square(n)
    return {"x": data((rows, columns)), "i": weight(rows, grad=False, fill=rows, dtype="int64")}


def gathered(n):
    rows, columns = square(n)
    return {"x": data((rows, columns)), "i": data((rows, columns), rows, False, "int64")}


def scattered(n):
    return {**gathered(n), "y": data(square(n))}


def put(n):
    rows, columns = square(n)
    return {"x": data((rows, columns)), "i": weight(rows, grad=False, fill=rows, dtype="int64"), "y": data((rows, columns))}


def one_image(n):
    return {"x": data(image(n))}


def with_moments(n):
    c = image(n)[1]
    return {"x": data(image(n)), "w": weight(c), "b": weight(c), "m": weight(c, grad=False), "v": weight(c, grad=False, fill="positive")}


def with_channels(n):
    c = image(n)[1]
    return {"x": data(image(n)), "w": weight(c), "b": weight(c)}


def with_rows(n):
    c = square(n)[1]
    return {"x": data(square(n)), "w": weight(c), "b": weight(c)}


def convolved(n):
    c = image(n)[1]
    return {"x": data(image(n)), "w": weight(16, c, 3, 3), "b": weight(16)}


def embedded(n):
    width = 16 if n == 256 else 64
    count = n // width
    return {"w": weight(1000, width), "i": weight(count, grad=False, fill=1000, dtype="int64")}


def multiplied(n):
    rows, inner = square(n)
    return {"x": data((rows, inner)), "y": data((inner, min(256, inner)))}


def multiplied_batch(n):
    side = min(64, math.isqrt(n))
    batch = n // (side * side)
    return {"x": data((batch, side, side)), "y": data((batch, side, side))}


def linear(n):
    rows, inner = square(n)
    return {"x": data((rows, inner)), "w": weight(min(256, inner), inner), "b": weight(min(256, inner))}


def classified(n):
    rows, classes = square(n)
    return {"x": data((rows, classes)), "t": weight(rows, grad=False, fill=classes, dtype="int64")}


def compared(n):
    width = 16 if n == 256 else 64
    return {"x": data((n // width, width)), "y": weight(64, width)}


def integers(n):
    return {"x": data((n,), 1000, False, "int64")}


def bits(n):
    return {"x": data(square(n), "bit", False)}


def convolved_in_groups(n):
    c = image(n)[1]
    return {"x": data(image(n)), "w": weight(c, c // 4, 3, 3), "b": weight(c)}


def convolved_by_channel(n):
    c = image(n)[1]
    return {"x": data(image(n)), "w": weight(c, 1, 3, 3), "b": weight(c)}


def convolved_back(n):
    c = image(n)[1]
    return {"x": data(image(n)), "w": weight(c, 8, 2, 2), "b": weight(8)}


def signal(n):
    return {256: (1, 4, 64), 256 * 1024: (4, 32, 2048)}.get(n, (8, 64, 32768))


def convolved_signal(n):
    c = signal(n)[1]
    return {"x": data(signal(n)), "w": weight(c, c, 5), "b": weight(c)}


def bagged(n):
    width = 16 if n == 256 else 64
    count = n // width
    bags = max(count // 8, 1)
    return {"w": weight(1000, width), "i": weight(bags, 8, grad=False, fill=1000, dtype="int64")}


def attended(n):
    """Heads x time x 64"""
    time = {256: 4, 256 * 1024: 128}.get(n, 256)
    width = min(64, n // time)
    heads = n // (time * width)
    return {name: data((1, heads, time, width)) for name in "qkv"}


def prime_lines(n):
    length = {256: 13, 256 * 1024: 509}.get(n, 4093)
    return {"z": data((n // 2 // length, length), grad=True, dtype="complex64")}


def two_images(n):
    return {"x": data(image(n)), "y": data(image(n))}


def doubles(n):
    return {"x": data(square(n // 2), dtype="float64"), "y": data(square(n // 2), dtype="float64")}


def complexes(n):
    return {"x": data(square(n // 2), dtype="complex64"), "y": data(square(n // 2), dtype="complex64")}


def two_integers(n):
    return {"x": data(square(n // 2), 1000, False, "int64"), "y": data(square(n // 2), 1000, False, "int64")}


def likely(n):
    return {"x": data(square(n), "bit", False), "y": data(square(n))}


def sampled(n):
    size = image(n)
    return {"x": data(size), "g": weight(size[0], *size[2:], 2, grad=False)}


def matrices(n):
    side = 8 if n == 256 else 32
    return {"x": data((n // (side * side), side, side), "positive")}


POINTWISE = dict(kind="pointwise", bytes_per_element=8)
BINARY = dict(kind="pointwise", bytes_per_element=12)
REDUCTION = dict(kind="reduction", bytes_per_element=4)

CASES = [
    Case("relu", "torch.relu(x)", one, **POINTWISE),
    Case("abs", "torch.abs(x)", one, **POINTWISE),
    Case("exp", "torch.exp(x)", one, **POINTWISE),
    Case("log", "torch.log(x)", one_positive, **POINTWISE),
    Case("sqrt", "torch.sqrt(x)", one_positive, **POINTWISE),
    Case("tanh", "torch.tanh(x)", one, **POINTWISE),
    Case("sigmoid", "torch.sigmoid(x)", one, **POINTWISE),
    Case("gelu", "torch.gelu(x)", one, **POINTWISE),
    Case("erf", "torch.erf(x)", one, **POINTWISE),
    Case("sin", "torch.sin(x)", one, **POINTWISE),
    Case("clamp", "torch.clamp(x, -1.0, 1.0)", one, **POINTWISE),
    Case("add", "torch.add(x, y)", two, **BINARY),
    Case("mul", "torch.mul(x, y)", two, **BINARY),
    Case("div", "torch.div(x, y)", two_positive, **BINARY),
    Case("pow", "torch.pow(x, y)", two_positive, **BINARY),
    Case("maximum", "torch.maximum(x, y)", two, **BINARY),
    Case("eq", "torch.eq(x, y)", two_without_grad, False, "pointwise", 9),
    Case("add_row", "torch.add(x, b)", lambda n: {"x": data(square(n)), "b": weight(square(n)[1])}, **POINTWISE),
    Case("where", "torch.where(m, x, y)", chosen, True, "pointwise", 13),
    Case("lerp", "torch.lerp(x, y, 0.3)", two, **BINARY),
    Case("addcmul", "torch.addcmul(x, y, z)", three, True, "pointwise", 16),
    Case("masked_fill", "torch.masked_fill(x, m, 0.5)", masked, True, "pointwise", 9),
    Case("to_float64", "x.to(torch.float64)", one, True, "pointwise", 12),
    Case("sum", "torch.sum(x)", one, **REDUCTION),
    Case("sum_last", "torch.sum(x, [1])", one, **REDUCTION),
    Case("sum_first", "torch.sum(x, [0])", one, **REDUCTION),
    Case("mean_last", "torch.mean(x, [1])", one, **REDUCTION),
    Case("var", "torch.var(x)", one, **REDUCTION),
    Case("var_first", "torch.var(x, [0])", one, **REDUCTION),
    Case("amax_last", "torch.amax(x, [1])", one, **REDUCTION),
    Case("max_dim_last", "torch.max(x, 1)[0]", one, **REDUCTION),
    Case("max_dim_first", "torch.max(x, 0)[0]", one, **REDUCTION),
    Case("argmax", "torch.argmax(x)", one_without_grad, False, **REDUCTION),
    Case("norm", "torch.norm(x)", one, **REDUCTION),
    Case("logsumexp", "torch.logsumexp(x, [1])", one),
    Case("prod_last", "torch.prod(x, 1)", one_positive, **REDUCTION),
    Case("all", "torch.all(x)", lambda n: {"x": data(square(n), "positive", False)}, False, **REDUCTION),
    Case("cumsum_last", "torch.cumsum(x, 1)", one),
    Case("cumsum_first", "torch.cumsum(x, 0)", one),
    Case("softmax", "torch.softmax(x, 1)", one),
    Case("log_softmax", "torch.log_softmax(x, 1)", one),
    Case("softmax_first", "torch.softmax(x, 0)", one),
    Case("layer_norm", "torch.layer_norm(x, [COLUMNS], w, b)", with_rows),
    Case("batch_norm", "torch.batch_norm(x, w, b, m, v, True, 0.1, 1e-5, True)", with_moments),
    Case("group_norm", "torch.group_norm(x, 2, w, b)", with_channels),
    Case("cat_last", "torch.cat([x, y], 1)", two),
    Case("stack", "torch.stack([x, y], 0)", two),
    Case("index_select", "torch.index_select(x, 0, i)", indexed),
    Case("gather", "torch.gather(x, 0, i)", gathered),
    Case("scatter_add", "torch.scatter_add(x, 0, i, y)", scattered),
    Case("index_put", "torch.index_put(x, [i], y)", put),
    Case("sort", "torch.sort(x, 1)[0]", one),
    Case("topk", "torch.topk(x, 8, 1)[0]", one),
    Case("transpose_copy", "x.t().contiguous()", one),
    Case("permute_copy", "x.permute([0, 2, 3, 1]).contiguous()", one_image),
    Case("pad", "torch.constant_pad_nd(x, [1, 1, 1, 1], 0.0)", one_image),
    Case("flip", "torch.flip(x, [1])", one),
    Case("roll", "torch.roll(x, [3], [1])", one),
    Case("conv2d", "torch.conv2d(x, w, b, [1, 1], [1, 1])", convolved),
    Case("max_pool2d", "torch.max_pool2d(x, [2, 2])", one_image),
    Case("avg_pool2d", "torch.avg_pool2d(x, [2, 2])", one_image),
    Case("bilinear", "torch.upsample_bilinear2d(x, [HEIGHT, WIDTH], False)", one_image),
    Case("embedding", "torch.embedding(w, i)", embedded),
    Case("mm", "torch.mm(x, y)", multiplied),
    Case("bmm", "torch.bmm(x, y)", multiplied_batch),
    Case("linear", "torch.linear(x, w, b)", linear),
    Case("cross_entropy", "torch.cross_entropy_loss(x, t)", classified),
    Case("mse_loss", "torch.mse_loss(x, y)", two),
    Case("dropout", "torch.dropout(x, 0.5, True)", one),
    Case("rand_like", "torch.rand_like(x)", one_without_grad, False),
    Case("fft", "torch.fft_fft(z)", lambda n: {"z": data(square(n // 2), grad=True, dtype="complex64")}),
    Case("rfft", "torch.fft_rfft(x)", one),
    Case("cdist", "torch.cdist(x, y)", compared),
    Case("nonzero", "torch.nonzero(x)", bits, False),
    Case("unique", "torch._unique2(x)[0]", integers, False),
]

# What else models spend time in; timed when asked for.
MORE_CASES = [
    Case("conv2d_groups", "torch.conv2d(x, w, b, [1, 1], [1, 1], [1, 1], 4)", convolved_in_groups),
    Case("conv2d_depthwise", "torch.conv2d(x, w, b, [1, 1], [1, 1], [1, 1], CHANNELS)", convolved_by_channel),
    Case("conv_transpose2d", "torch.conv_transpose2d(x, w, b, [2, 2])", convolved_back),
    Case("conv1d", "torch.conv1d(x, w, b, [1], [2])", convolved_signal),
    Case("embedding_bag", "torch.embedding_bag(w, i.view(-1), torch.arange(0, i.numel(), 8))[0]", bagged),
    Case("attention", "torch.matmul(torch.softmax(torch.matmul(q, k.transpose(-2, -1)) * 0.125, -1), v)", attended),
    Case("matmul_4d", "torch.matmul(q, k.transpose(-2, -1))", attended),
    Case("einsum", "torch.einsum('bhid,bhjd->bhij', [q, k])", attended),
    Case("cat_channels", "torch.cat([x, y], 1)", two_images),
    Case("index_select_last", "torch.index_select(x, 1, i)", lambda n: {"x": data(square(n)), "i": weight(square(n)[1], grad=False, fill=square(n)[1], dtype="int64")}),
    Case("index_add", "torch.index_add(x, 0, i, y)", put),
    Case("scatter", "torch.scatter(x, 0, i, y)", scattered),
    Case("masked_select", "torch.masked_select(x, m)", masked),
    Case("repeat", "x.repeat([2, 2])", one),
    Case("tril", "torch.tril(x)", one),
    Case("nearest", "torch.upsample_nearest2d(x, [HEIGHT, WIDTH])", one_image),
    Case("bicubic", "torch.upsample_bicubic2d(x, [HEIGHT, WIDTH], False)", one_image),
    Case("grid_sampler", "torch.grid_sampler(x, g, 0, 0, False)", sampled),
    Case("reflection_pad", "torch.reflection_pad2d(x, [1, 1, 1, 1])", one_image),
    Case("replication_pad", "torch.replication_pad2d(x, [1, 1, 1, 1])", one_image),
    Case("adaptive_pool", "torch.adaptive_avg_pool2d(x, [4, 4])", one_image),
    Case("global_pool", "torch.adaptive_avg_pool2d(x, [1, 1])", one_image),
    Case("pixel_shuffle", "torch.pixel_shuffle(x, 2)", one_image),
    Case("im2col", "torch.im2col(x, [3, 3], [1, 1], [1, 1], [1, 1])", one_image),
    Case("instance_norm", "torch.instance_norm(x, w, b, None, None, True, 0.1, 1e-5, True)", with_channels),
    Case("batch_norm_eval", "torch.batch_norm(x, w, b, m, v, False, 0.1, 1e-5, True)", with_moments),
    Case("fft_prime", "torch.fft_fft(z)", prime_lines),
    Case("fft2", "torch.fft_fft2(z)", lambda n: {"z": data(square(n // 2), grad=True, dtype="complex64")}),
    Case("irfft", "torch.fft_irfft(z)", lambda n: {"z": data(square(n // 2), grad=True, dtype="complex64")}),
    Case("sort_first", "torch.sort(x, 0)[0]", one),
    Case("argsort", "torch.argsort(x, 1)", one_without_grad, False),
    Case("median", "torch.median(x, 1)[0]", one),
    Case("cumprod", "torch.cumprod(x, 1)", one_positive),
    Case("cummax", "torch.cummax(x, 1)[0]", one),
    Case("logcumsumexp", "torch.logcumsumexp(x, 1)", one),
    Case("norm_last", "torch.norm(x, 2, [1])", one),
    Case("cosine_similarity", "torch.cosine_similarity(x, y, 1)", two),
    Case("std_last", "torch.std(x, [1], True)", one),
    Case("count_nonzero", "torch.count_nonzero(x)", bits, False),
    Case("silu", "torch.silu(x)", one, **POINTWISE),
    Case("leaky_relu", "torch.leaky_relu(x, 0.1)", one, **POINTWISE),
    Case("elu", "torch.elu(x)", one, **POINTWISE),
    Case("hardswish", "torch.hardswish(x)", one, **POINTWISE),
    Case("hardsigmoid", "torch.hardsigmoid(x)", one, **POINTWISE),
    Case("softplus", "torch.softplus(x)", one, **POINTWISE),
    Case("log_sigmoid", "torch.log_sigmoid(x)", one, **POINTWISE),
    Case("mish", "torch.mish(x)", one, **POINTWISE),
    Case("gelu_tanh", "torch.gelu(x, approximate='tanh')", one, **POINTWISE),
    Case("glu", "torch.glu(x, 1)", one),
    Case("rsqrt", "torch.rsqrt(x)", one_positive, **POINTWISE),
    Case("reciprocal", "torch.reciprocal(x)", one_positive, **POINTWISE),
    Case("floor", "torch.floor(x)", one, **POINTWISE),
    Case("round", "torch.round(x)", one, **POINTWISE),
    Case("sign", "torch.sign(x)", one, **POINTWISE),
    Case("cos", "torch.cos(x)", one, **POINTWISE),
    Case("tan", "torch.tan(x)", one, **POINTWISE),
    Case("atan", "torch.atan(x)", one, **POINTWISE),
    Case("asin", "torch.asin(x * 0.1)", one, **POINTWISE),
    Case("log1p", "torch.log1p(x)", one_positive, **POINTWISE),
    Case("expm1", "torch.expm1(x)", one, **POINTWISE),
    Case("log2", "torch.log2(x)", one_positive, **POINTWISE),
    Case("pow_3", "torch.pow(x, 3)", one, **POINTWISE),
    Case("pow_half", "torch.pow(x, 1.7)", one_positive, **POINTWISE),
    Case("atan2", "torch.atan2(x, y)", two, **BINARY),
    Case("fmod", "torch.fmod(x, y)", two_positive, **BINARY),
    Case("remainder", "torch.remainder(x, y)", two_positive, **BINARY),
    Case("add_scalar", "torch.add(x, 1.5)", one, **POINTWISE),
    Case("add_float64", "torch.add(x, y)", doubles),
    Case("exp_float64", "torch.exp(x)", lambda n: {"x": data(square(n // 2), dtype="float64")}),
    Case("mul_complex", "torch.mul(x, y)", complexes),
    Case("add_int64", "torch.add(x, y)", two_integers, False),
    Case("mul_int64", "torch.mul(x, y)", two_integers, False),
    Case("sum_int64", "torch.sum(x)", lambda n: {"x": data(square(n // 2), 1000, False, "int64")}, False),
    Case("to_int64", "x.to(torch.int64)", one_without_grad, False),
    Case("to_float16", "x.to(torch.float16)", one_without_grad, False),
    Case("logical_and", "torch.logical_and(x, y)", lambda n: {"x": data(square(n), 2, False, "bool"), "y": data(square(n), 2, False, "bool")}, False),
    Case("gt_scalar", "torch.gt(x, 0.5)", one_without_grad, False),
    Case("bce_logits", "torch.binary_cross_entropy_with_logits(y, x)", likely),
    Case("smooth_l1", "torch.smooth_l1_loss(x, y)", two),
    Case("l1_loss", "torch.l1_loss(x, y)", two),
    Case("kl_div", "torch.kl_div(x, y)", two_positive),
    Case("cholesky", "torch.linalg_cholesky(torch.matmul(x, x.transpose(-2, -1)) + 4.0 * torch.eye(x.size(-1)))", matrices),
    Case("inverse", "torch.inverse(x + 4.0 * torch.eye(x.size(-1)))", matrices),
    Case("bincount", "torch.bincount(x)", integers, False),
    Case("searchsorted", "torch.searchsorted(y, x)", lambda n: {"x": data(square(n), grad=False), "y": weight(1000, grad=False)}, False),
]


def written_for(case, n):
    """The expression with the sizes that it names."""
    rows, columns = square(n)
    channels, height, width = image(n)[1:]
    text = case.expression
    for word, number in (("COLUMNS", columns), ("CHANNELS", channels), ("HEIGHT", 2 * height), ("WIDTH", 2 * width)):
        text = text.replace(word, str(number))
    return text
