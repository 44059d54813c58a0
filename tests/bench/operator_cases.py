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


def written_for(case, n):
    """The expression with the sizes that it names."""
    rows, columns = square(n)
    height, width = image(n)[2:]
    text = case.expression
    for word, number in (("COLUMNS", columns), ("HEIGHT", 2 * height), ("WIDTH", 2 * width)):
        text = text.replace(word, str(number))
    return text
