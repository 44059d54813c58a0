# SPDX-License-Identifier: Apache-2.0
# New arrays: filled, ranges, grids.
import builtins as _builtins
import math as _math
import torch as _torch
from numpy._array import array, generic, ndarray, _floats, _result, _tensor_of
from numpy._array import dtype as _dtype


def power_of(base, exponents):
    return ndarray._of(_torch.pow(_torch.tensor(float(base), dtype=_torch.float64), exponents._tensor))


def asarray(a, dtype=None, **kwargs):
    return a if isinstance(a, ndarray) and (dtype is None or a.dtype == dtype) else array(a, dtype, copy=False)


asanyarray = ascontiguousarray = asfortranarray = asarray


def _made(function):
    def make(shape, dtype=None, order='C', **kwargs):
        if not isinstance(shape, (tuple, list)):
            shape = (shape,)
        return ndarray._of(function(tuple(int(each) for each in shape), dtype=_dtype(dtype)._torch))
    return make


zeros = _made(_torch.zeros)
ones = _made(_torch.ones)
empty = _made(_torch.zeros)


def full(shape, fill_value, dtype=None, order='C', **kwargs):
    t = _tensor_of(fill_value, dtype)
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    return ndarray._of(t.expand(shape).clone())


def zeros_like(a, dtype=None, **kwargs):
    return ndarray._of(_torch.zeros_like(_tensor_of(a), dtype=_dtype(dtype)._torch if dtype else None))


def ones_like(a, dtype=None, **kwargs):
    return ndarray._of(_torch.ones_like(_tensor_of(a), dtype=_dtype(dtype)._torch if dtype else None))


empty_like = zeros_like


def full_like(a, fill_value, dtype=None, **kwargs):
    return full(asarray(a).shape, fill_value, dtype or asarray(a).dtype)


def eye(N, M=None, k=0, dtype=float, **kwargs):
    t = _torch.zeros(N, N if M is None else M, dtype=_dtype(dtype)._torch)
    t.diagonal(k).fill_(1)
    return ndarray._of(t)


def identity(n, dtype=float):
    return eye(n, dtype=dtype)


def arange(*args, dtype=None, **kwargs):
    args = [kwargs[name] for name in ('start', 'stop', 'step') if name in kwargs] if not args else [
        each.item() if isinstance(each, (generic, ndarray)) else each for each in args]
    is_int = _builtins.all(isinstance(each, int) for each in args)
    kind = _dtype(dtype)._torch if dtype is not None else _torch.int64 if is_int else _torch.float64
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (args[0], args[1], args[2] if len(args) > 2 else 1)
    count = _builtins.max(0, _math.ceil((stop - start) / step))
    if is_int:
        return ndarray._of((_torch.arange(count) * step + start).to(kind))
    return ndarray._of((_torch.arange(count, dtype=_torch.float64) * step + start).to(kind))


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    num = int(num)
    start, stop = _floats(start).double(), _floats(stop).double()
    divisions = num - 1 if endpoint else num
    step = (stop - start) / divisions if divisions > 0 else (stop - start) * _math.nan
    steps = _torch.arange(num, dtype=_torch.float64).reshape([-1] + [1] * start.dim())
    t = steps * step + start if divisions > 0 else start.expand((num,) + start.shape).clone()
    if endpoint and num > 1:
        t[-1] = stop
    out = ndarray._of(t if dtype is None else t.to(_dtype(dtype)._torch))
    return (out, _result(step)) if retstep else out


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None):
    out = power_of(base, linspace(start, stop, num, endpoint))
    return out if dtype is None else out.astype(dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None):
    out = logspace(_math.log10(start), _math.log10(stop), num, endpoint)
    out[0] = start
    if endpoint and num > 1:
        out[-1] = stop
    return out


def meshgrid(*xi, indexing='xy', sparse=False, copy=True):
    return [ndarray._of(each.contiguous()) for each in _torch.meshgrid(*[_tensor_of(x).reshape(-1) for x in xi], indexing=indexing)]


def indices(dimensions, dtype=int):
    return _stacked(meshgrid(*[arange(n) for n in dimensions], indexing='ij')).astype(dtype)


def _stacked(arrays):
    return ndarray._of(_torch.stack([each._tensor for each in arrays]))


def mgrid_of(key):
    axes = [arange(each.start or 0, each.stop, each.step or 1) if not isinstance(each.step, complex)
            else linspace(each.start, each.stop, int(_builtins.abs(each.step))) for each in key]
    return _stacked(meshgrid(*axes, indexing='ij'))


class _Grid:
    def __getitem__(self, key):
        return mgrid_of(key if isinstance(key, tuple) else (key,)) if isinstance(key, tuple) else mgrid_of((key,))[0]


mgrid = _Grid()


class _OpenGrid:
    def __getitem__(self, key):
        axes = [arange(each.start or 0, each.stop, each.step or 1) for each in key]
        return tuple(axis.reshape([-1 if i == j else 1 for j in range(len(axes))]) for i, axis in enumerate(axes))


ogrid = _OpenGrid()


class _Joined:
    def __init__(self, is_column):
        self._is_column = is_column

    def __getitem__(self, key):
        parts = [arange(part.start or 0, part.stop, part.step or 1) if isinstance(part, slice) else asarray(part).reshape(-1)
                 for part in (key if isinstance(key, tuple) else (key,))]
        if self._is_column:
            return ndarray._of(_torch.cat([part.reshape(-1, 1)._tensor if part.ndim == 1 else part._tensor for part in parts], -1))
        return ndarray._of(_torch.cat([part._tensor for part in parts]))


r_ = _Joined(False)
c_ = _Joined(True)
