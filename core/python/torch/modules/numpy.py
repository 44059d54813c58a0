# SPDX-License-Identifier: Apache-2.0
# What models do with numpy, over tensors. The array itself is in numpy._array.
import builtins as _builtins
import math as _math
import torch as _torch
from numpy._array import (array, bool_, byte, complex64, complex128, complexfloating, double, dtype, float16, float32, float64, floating,
                          generic, half, inexact, int8, int16, int32, int64, int_, intc, integer, intp, longlong, ndarray, number, object_,
                          short, signedinteger, single, str_, ubyte, uint, uint8, uint16, uint32, uint64, uintc, uintp, unsignedinteger,
                          ushort, _axes, _divide, _floats, _pair, _promoted, _result, _tensor_of)
import numpy.random
import numpy.linalg
import numpy.fft
import numpy.lib
import numpy.polynomial

__version__ = '2.1.0'
pi = _math.pi
e = _math.e
inf = Inf = infty = _math.inf
nan = NaN = _math.nan
newaxis = None
euler_gamma = 0.5772156649015329


from numpy._making import *
from numpy._shaping import *
import numpy._array


def _unary(function, integers=False):
    def apply(x, out=None, **kwargs):
        if isinstance(x, _torch.Tensor):
            return function(x)
        return _result(function(_tensor_of(x) if integers else _floats(x)))
    return apply


sqrt, exp, log, sin, cos, tan = map(_unary, (_torch.sqrt, _torch.exp, _torch.log, _torch.sin, _torch.cos, _torch.tan))
arcsin, arccos, arctan, sinh, cosh, tanh = map(_unary, (_torch.asin, _torch.acos, _torch.atan, _torch.sinh, _torch.cosh, _torch.tanh))
arcsinh, arccosh, arctanh = map(_unary, (_torch.asinh, _torch.acosh, _torch.atanh))
asin, acos, atan = arcsin, arccos, arctan
log2, log10, log1p, expm1, exp2 = map(_unary, (_torch.log2, _torch.log10, _torch.log1p, _torch.expm1, _torch.exp2))
floor, ceil, trunc, rint = map(_unary, (_torch.floor, _torch.ceil, _torch.trunc, _torch.round))
fix = trunc
reciprocal, sinc, cbrt = map(_unary, (_torch.reciprocal, _torch.sinc, lambda x: x.sign() * x.abs() ** (1 / 3)))
deg2rad = radians = _unary(lambda x: x * (pi / 180))
rad2deg = degrees = _unary(lambda x: x * (180 / pi))
isnan, isinf, isfinite = [_unary(each) for each in (_torch.isnan, _torch.isinf, _torch.isfinite)]
absolute = abs_ = _unary(_torch.abs, True)
fabs = _unary(_torch.abs)
sign = _unary(_torch.sign, True)
negative = _unary(lambda x: -x, True)
square = _unary(lambda x: x * x, True)
conj = conjugate = _unary(lambda x: x.conj().resolve_conj(), True)
logical_not = _unary(lambda x: x == 0, True)
invert = bitwise_not = _unary(lambda x: ~x, True)
angle = _unary(_torch.angle)
i0 = _unary(_torch.special.i0)
real = _unary(lambda x: x.real if x.is_complex() else x, True)
imag = _unary(lambda x: x.imag if x.is_complex() else _torch.zeros_like(x), True)


def _two(function, floats=False):
    def apply(a, b, out=None, **kwargs):
        x, y = _pair(a, b)
        if floats:
            x, y = _floats(ndarray._of(x)), _floats(ndarray._of(y))
        made = function(x, y)
        if out is not None:
            out._tensor.copy_(made)
            return out
        return _result(made)
    return apply


def _method(name):
    return lambda a, b, **kwargs: getattr(asarray(a), name)(b)


add, subtract, multiply = _method('__add__'), _method('__sub__'), _method('__mul__')
divide = true_divide = _method('__truediv__')
floor_divide, mod, power = _method('__floordiv__'), _method('__mod__'), _method('__pow__')
remainder = mod
float_power = _two(_torch.pow, True)
bitwise_and, bitwise_or, bitwise_xor = _method('__and__'), _method('__or__'), _method('__xor__')
maximum, minimum = _two(_torch.maximum), _two(_torch.minimum)
fmax, fmin = _two(_torch.fmax), _two(_torch.fmin)
fmod = _two(_torch.fmod)
arctan2 = atan2 = _two(_torch.atan2, True)
hypot = _two(_torch.hypot, True)
logaddexp = _two(_torch.logaddexp, True)
greater, greater_equal, less = _two(_torch.gt), _two(_torch.ge), _two(_torch.lt)
less_equal, equal, not_equal = _two(_torch.le), _two(_torch.eq), _two(_torch.ne)
logical_and, logical_or, logical_xor = map(_two, (_torch.logical_and, _torch.logical_or, _torch.logical_xor))
gcd, lcm = _two(_torch.gcd), _two(_torch.lcm)


def _reduction(name):
    def apply(a, axis=None, *args, **kwargs):
        return getattr(asarray(a), name)(axis, *args, **kwargs)
    return apply


sum, mean, prod, var, std = map(_reduction, ('sum', 'mean', 'prod', 'var', 'std'))
max = amax = _reduction('max')
min = amin = _reduction('min')
any, all, argmax, argmin, cumsum, cumprod = map(_reduction, ('any', 'all', 'argmax', 'argmin', 'cumsum', 'cumprod'))
nansum = lambda a, axis=None, **kwargs: asarray(nan_to_num(a)).sum(axis)


def nanmean(a, axis=None, keepdims=False):
    t = _floats(a)
    return _result(_torch.nanmean(t, dim=_axes(axis, t), keepdim=keepdims))


def ptp(a, axis=None):
    return asarray(a).max(axis) - asarray(a).min(axis)


def average(a, axis=None, weights=None):
    if weights is None:
        return mean(a, axis)
    weights = asarray(weights)
    return _result(_divide(_tensor_of((asarray(a) * weights).sum(axis)), _tensor_of(weights.sum(axis))))


def median(a, axis=None, keepdims=False):
    return quantile(a, 0.5, axis, keepdims=keepdims)


def quantile(a, q, axis=None, keepdims=False, **kwargs):
    t = _floats(a)
    return _result(_torch.quantile(t, _tensor_of(q).to(t.dtype), dim=axis, keepdim=keepdims))


def percentile(a, q, axis=None, keepdims=False, **kwargs):
    return quantile(a, asarray(q) / 100, axis, keepdims)


def round_(a, decimals=0):
    return asarray(a).round(decimals) if isinstance(a, (ndarray, list, tuple)) else float64(_builtins.round(a, decimals))


def clip(a, a_min=None, a_max=None, out=None, **kwargs):
    made = asarray(a).clip(a_min, a_max)
    if out is not None:
        out[...] = made
    return made


def where(condition, x=None, y=None):
    condition = _tensor_of(condition) != 0
    if x is None:
        return tuple(ndarray._of(each) for each in _torch.nonzero(condition, as_tuple=True))
    return _result(_torch.where(condition, *_pair(x, y)))


def select(condlist, choicelist, default=0):
    out = asarray(default)
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        out = where(condition, choice, out)
    return out


def sort(a, axis=-1):
    return ndarray._of(_torch.sort(_tensor_of(a), dim=axis, stable=True).values)


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
    values, inverse, counts = _torch.unique(_tensor_of(ar), sorted=True, return_inverse=True, return_counts=True, dim=axis)
    out = [ndarray._of(values)]
    if return_index:
        flat = inverse.reshape(-1).tolist()
        out.append(array([flat.index(i) for i in range(len(counts))]))
    if return_inverse:
        out.append(ndarray._of(inverse))
    if return_counts:
        out.append(ndarray._of(counts))
    return out[0] if len(out) == 1 else tuple(out)


def searchsorted(a, v, side='left'):
    return _result(_torch.searchsorted(_tensor_of(a), _tensor_of(v), right=side == 'right'))


def digitize(x, bins, right=False):
    return _result(_torch.bucketize(_tensor_of(x), _tensor_of(bins), right=not right))


def bincount(x, weights=None, minlength=0):
    return ndarray._of(_torch.bincount(_tensor_of(x), None if weights is None else _tensor_of(weights), minlength))


def histogram(a, bins=10, range=None, density=False, weights=None):
    t = _floats(a).double().reshape(-1)
    if isinstance(bins, int):
        low, high = range if range is not None else (t.min().item(), t.max().item())
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = linspace(low, high, bins + 1)
    else:
        edges = asarray(bins)
    bounds = edges._tensor.double()
    place = _torch.searchsorted(bounds, t, right=True) - 1
    place = _torch.where(t == bounds[-1], len(bounds) - 2, place)
    inside = (t >= bounds[0]) & (t <= bounds[-1])
    counts = _torch.bincount(place[inside], minlength=len(bounds) - 1)
    if density:
        return ndarray._of(counts / ((bounds[1:] - bounds[:-1]) * counts.sum())), edges
    return ndarray._of(counts), edges


def diff(a, n=1, axis=-1):
    return ndarray._of(_torch.diff(_tensor_of(a), n=n, dim=axis))


def gradient(f, *varargs, axis=None):
    return ndarray._of(_torch.gradient(_floats(f))[0])


def trapezoid(y, x=None, dx=1.0, axis=-1):
    return _result(_torch.trapezoid(_floats(y), _floats(x), dim=axis) if x is not None else _torch.trapezoid(_floats(y), dx=dx, dim=axis))


trapz = trapezoid


def interp(x, xp, fp, left=None, right=None):
    x, xp, fp = _floats(x).double(), _floats(xp).double(), _floats(fp).double()
    place = (_torch.searchsorted(xp, x, right=True) - 1).clamp(0, len(xp) - 2)
    slope = (fp[place + 1] - fp[place]) / (xp[place + 1] - xp[place])
    out = slope * (x - xp[place]) + fp[place]
    out = _torch.where(x <= xp[0], fp[0] if left is None else float(left), out)
    return _result(_torch.where(x >= xp[-1], fp[-1] if right is None else float(right), out))


def dot(a, b):
    x, y = _pair(a, b)
    if x.dim() == 0 or y.dim() == 0:
        return _result(x * y)
    if y.dim() > 2:
        return _result(_torch.tensordot(x, y, dims=([x.dim() - 1], [y.dim() - 2])))
    return _result(x @ y)


def matmul(a, b, **kwargs):
    x, y = _pair(a, b)
    return _result(x @ y)


def vdot(a, b):
    x, y = _pair(ravel(a), ravel(b))
    return _result(_torch.vdot(x, y))


def inner(a, b):
    return _result(_torch.inner(*_pair(a, b)))


def outer(a, b):
    x, y = _pair(ravel(a), ravel(b))
    return ndarray._of(_torch.outer(x, y))


def tensordot(a, b, axes=2):
    return _result(_torch.tensordot(*_pair(a, b), dims=axes))


def kron(a, b):
    return _result(_torch.kron(*_pair(a, b)))


def cross(a, b, axis=-1):
    x, y = _torch.broadcast_tensors(*_pair(a, b))
    return _result(_torch.linalg.cross(x, y, dim=axis))


def einsum(subscripts, *operands, **kwargs):
    parts = [_tensor_of(each) for each in operands]
    kind = parts[0].dtype
    for part in parts[1:]:
        kind = _promoted(kind, part.dtype)
    return _result(_torch.einsum(subscripts, *[part.to(kind) for part in parts]))


def convolve(a, v, mode='full'):
    x, y = [each.double() for each in _pair(a, v)]
    if len(y) > len(x):
        x, y = y, x
    full_ = _torch.nn.functional.conv1d(x.reshape(1, 1, -1), y.flip(0).reshape(1, 1, -1), padding=len(y) - 1).reshape(-1)
    if mode == 'full':
        return ndarray._of(full_)
    if mode == 'same':
        start = (len(y) - 1) // 2
        return ndarray._of(full_[start:start + len(x)])
    return ndarray._of(full_[len(y) - 1:len(x)])


def triu(m, k=0):
    return ndarray._of(_torch.triu(_tensor_of(m), k))


def tril(m, k=0):
    return ndarray._of(_torch.tril(_tensor_of(m), k))


def tri(N, M=None, k=0, dtype=float):
    return tril(ones((N, M or N), dtype), k)


def triu_indices(n, k=0, m=None):
    return tuple(ndarray._of(each) for each in _torch.triu_indices(n, m or n, k))


def tril_indices(n, k=0, m=None):
    return tuple(ndarray._of(each) for each in _torch.tril_indices(n, m or n, k))


def diag(v, k=0):
    return ndarray._of(_torch.diag(_tensor_of(v), k))


def fill_diagonal(a, val):
    a._tensor.fill_diagonal_(val)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    return _result(_torch.nan_to_num(_tensor_of(x), nan, posinf, neginf))


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return _result(_torch.isclose(*_pair(a, b), rtol=rtol, atol=atol, equal_nan=equal_nan))


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(asarray(isclose(a, b, rtol, atol, equal_nan)).all())


def array_equal(a, b):
    x, y = _tensor_of(a), _tensor_of(b)
    return x.shape == y.shape and bool((x == y).all())


def isin(element, test_elements):
    return _result(_torch.isin(_tensor_of(element), _tensor_of(test_elements)))


in1d = isin


def argwhere(a):
    return ndarray._of(_torch.nonzero(_tensor_of(a)))


def flatnonzero(a):
    return ravel(a).nonzero()[0]


def count_nonzero(a, axis=None):
    return _result((_tensor_of(a) != 0).sum() if axis is None else (_tensor_of(a) != 0).sum(axis))


def unravel_index(indices, shape):
    out = _torch.unravel_index(_tensor_of(indices), shape)
    return tuple(_result(each) for each in out)


def take_along_axis(arr, indices, axis):
    return ndarray._of(_torch.take_along_dim(_tensor_of(arr), _tensor_of(indices), axis))


def argpartition(a, kth, axis=-1):
    return argsort(a, axis)


def partition(a, kth, axis=-1):
    return sort(a, axis)


def append(arr, values, axis=None):
    return concatenate([arr, values], axis)


def delete(arr, obj, axis=None):
    t = _tensor_of(arr) if axis is not None else _tensor_of(arr).reshape(-1)
    keep = _torch.ones(t.shape[axis or 0], dtype=_torch.bool)
    keep[_tensor_of(obj)] = False
    return ndarray._of(t.index_select(axis or 0, keep.nonzero().reshape(-1)))


def insert(arr, obj, values, axis=None):
    t = _tensor_of(arr) if axis is not None else _tensor_of(arr).reshape(-1)
    head, tail = _torch.tensor_split(t, [int(obj)], dim=axis or 0)
    return concatenate([ndarray._of(head), atleast_1d(values).astype(dtype(t.dtype)), ndarray._of(tail)], axis or 0)


def cov(m, rowvar=True, **kwargs):
    t = _floats(m).double()
    return _result(_torch.cov(t if rowvar else t.T))


def corrcoef(x):
    return _result(_torch.corrcoef(_floats(x).double()))


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    moved = moveaxis(arr, axis, -1)
    rows = [func1d(row, *args, **kwargs) for row in moved.reshape(-1, moved.shape[-1])]
    out = array(rows)
    return moveaxis(out.reshape(moved.shape[:-1] + out.shape[1:]), -1, axis) if out.ndim > 1 else out.reshape(moved.shape[:-1])


def vectorize(pyfunc, otypes=None, **kwargs):
    def apply(*args):
        parts = broadcast_arrays(*args)
        return array([pyfunc(*each) for each in zip(*[part.ravel() for part in parts])]).reshape(parts[0].shape)
    return apply


def hanning(M):
    return ndarray._of(_torch.hann_window(M, periodic=False, dtype=_torch.float64))


def hamming(M):
    return ndarray._of(_torch.hamming_window(M, periodic=False, dtype=_torch.float64))


def blackman(M):
    return ndarray._of(_torch.blackman_window(M, periodic=False, dtype=_torch.float64))


def kaiser(M, beta):
    return ndarray._of(_torch.kaiser_window(M, periodic=False, beta=beta, dtype=_torch.float64))


def polyfit(x, y, deg):
    x, y = _floats(x).double(), _floats(y).double()
    return ndarray._of(_torch.linalg.lstsq(_torch.stack([x ** i for i in range(deg, -1, -1)], 1), y.unsqueeze(1)).solution.squeeze(1))


def polyval(p, x):
    out = asarray(x) * 0
    for each in asarray(p).tolist():
        out = out * asarray(x) + each
    return out


def frombuffer(buffer, dtype=float, count=-1, offset=0):
    kind = numpy._array.dtype(dtype)._torch
    return ndarray._of(_torch.tensor(list(bytes(buffer)[offset:]), dtype=_torch.uint8).view(kind)[:count if count >= 0 else None])


def fromiter(iterable, dtype, count=-1):
    return array(list(iterable), dtype=dtype)


from numpy._files import load, loadtxt, save, savetxt, savez, savez_compressed


def iscomplexobj(x):
    return _tensor_of(x).is_complex()


def isscalar(element):
    return isinstance(element, (bool, int, float, complex, str, generic))


def issubdtype(arg1, arg2):
    kind = numpy._array.dtype(arg1).type
    if arg2 in (float, int, bool, complex):
        arg2 = numpy._array.dtype(arg2).type
    groups = {'i': (signedinteger, integer, number), 'u': (unsignedinteger, integer, number), 'f': (floating, inexact, number),
              'c': (complexfloating, inexact, number), 'b': ()}
    return kind is arg2 or arg2 is generic or arg2 in groups[numpy._array.dtype(arg1).kind]


def result_type(*args):
    kind = _tensor_of(args[0]).dtype if not isinstance(args[0], (type, dtype)) else dtype(args[0])._torch
    for each in args[1:]:
        kind = _promoted(kind, dtype(each)._torch if isinstance(each, (type, dtype)) else _tensor_of(each).dtype)
    return dtype(kind)


promote_types = result_type


class finfo:
    def __init__(self, kind):
        info = _torch.finfo(dtype(kind)._torch)
        self.eps, self.min, self.max, self.tiny, self.bits = info.eps, info.min, info.max, info.tiny, info.bits
        self.smallest_normal, self.resolution, self.dtype = info.tiny, info.resolution, dtype(kind)


class iinfo:
    def __init__(self, kind):
        info = _torch.iinfo(dtype(kind)._torch)
        self.min, self.max, self.bits, self.dtype = info.min, info.max, info.bits, dtype(kind)


class errstate:
    def __init__(self, **kwargs):
        pass

    def __enter__(self):
        pass

    def __exit__(self, *exception):
        return False


def seterr(**kwargs):
    return {}


def set_printoptions(*args, **kwargs):
    pass


def array_repr(a):
    return repr(a)


def may_share_memory(a, b):
    return a._tensor.data_ptr() == b._tensor.data_ptr()


abs = absolute
round = around = round_
int, float, bool, complex = int, float, bool, complex
