# SPDX-License-Identifier: Apache-2.0
# Arrays: an array is a tensor under numpy's rules: float64 by default, NumPy 2's promotion.
import math
import torch


from numpy._dtypes import (bool_, byte, complex64, complex128, complexfloating, double, dtype, float16, float32, float64, floating, generic,
                           half, inexact, int8, int16, int32, int64, int_, intc, integer, intp, longlong, number, object_, short,
                           signedinteger, single, str_, ubyte, uint, uint8, uint16, uint32, uint64, uintc, uintp, unsignedinteger, ushort,
                           _scalar_of)


def _result(t):
    """A tensor as numpy gives it: an array, or a scalar of one without dimensions."""
    if t.dim() == 0:
        return _scalar_of(dtype(t.dtype), t.item())
    return ndarray._of(t)


def _tensor_of(value, kind=None):
    """Anything that array() takes, as a tensor of numpy's dtype for it."""
    if isinstance(value, ndarray):
        t = value._tensor
    elif isinstance(value, torch.Tensor):
        t = value.detach().cpu()
    elif isinstance(value, generic):
        t = torch.tensor(value.item(), dtype=value.dtype._torch)
    elif isinstance(value, bool):
        t = torch.tensor(value)
    elif isinstance(value, int):
        t = torch.tensor(value, dtype=torch.int64)
    elif isinstance(value, float):
        t = torch.tensor(value, dtype=torch.float64)
    elif isinstance(value, complex):
        t = torch.tensor(value, dtype=torch.complex128)
    elif isinstance(value, (list, tuple, range)):
        t = _tensor_of_sequence(list(value))
    elif hasattr(value, '__array__'):
        t = _tensor_of(value.__array__())
    elif value is None or isinstance(value, (str, bytes, dict, set)):
        raise TypeError(f'arrays of {type(value).__name__} are not available here')
    else:
        t = _tensor_of_sequence(list(value))
    return t if kind is None or t.dtype == dtype(kind)._torch else t.to(dtype(kind)._torch)


def _tensor_of_sequence(values):
    if not values:
        return torch.zeros(0, dtype=torch.float64)
    if all(type(value) is int for value in values):
        return torch.tensor(values, dtype=torch.int64)
    if all(type(value) is float or type(value) is int for value in values):
        return torch.tensor([float(value) for value in values], dtype=torch.float64)
    parts = [_tensor_of(value) for value in values]
    if any(part.shape != parts[0].shape for part in parts):
        raise ValueError('setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 dimensions. '
                         f'The detected shape was ({len(parts)},) + inhomogeneous part.')
    kind = parts[0].dtype
    for part in parts[1:]:
        kind = _promoted(kind, part.dtype)
    return torch.stack([part.to(kind) for part in parts])


_FLOAT_FOR = {torch.bool: torch.float16, torch.int8: torch.float16, torch.uint8: torch.float16, torch.int16: torch.float32,
              torch.uint16: torch.float32}


def _promoted(a, b):
    """numpy's result type: an int of 32 bits and more with a float32 is a float64."""
    if a == b:
        return a
    if not a.is_floating_point and not a.is_complex and (b.is_floating_point or b.is_complex):
        a, b = b, a
    if (a.is_floating_point or a.is_complex) and not b.is_floating_point and not b.is_complex:
        needed = _FLOAT_FOR.get(b, torch.float64)
        if a.is_complex:
            return torch.complex128 if needed == torch.float64 else a
        return torch.promote_types(a, needed)
    unsigned = {torch.uint8: torch.int16, torch.uint16: torch.int32, torch.uint32: torch.int64, torch.uint64: torch.float64}
    if a in unsigned and b in unsigned:
        return a if dtype(a).itemsize > dtype(b).itemsize else b
    for one, other in ((a, b), (b, a)):
        if one in unsigned and other != torch.bool:
            return torch.promote_types(unsigned[one], other) if not other.is_floating_point else other
        if one == torch.bool:
            return other
    return torch.promote_types(a, b)


def _is_weak(value):
    return isinstance(value, (bool, int, float, complex)) and not isinstance(value, generic)


def _operand(value, other):
    """A Python number takes the dtype of the array beside it where its kind allows."""
    if not _is_weak(value):
        return _tensor_of(value)
    kind = other.dtype
    if isinstance(value, bool):
        return torch.tensor(value)
    if isinstance(value, int):
        return torch.tensor(value, dtype=torch.int64 if kind == torch.bool else kind)
    if isinstance(value, float):
        return torch.tensor(value, dtype=kind if kind.is_floating_point or kind.is_complex else torch.float64)
    wide = kind in (torch.float64, torch.complex128) or not (kind.is_floating_point or kind.is_complex)
    return torch.tensor(value, dtype=torch.complex128 if wide else torch.complex64)


def _pair(a, b):
    if _is_weak(a) and _is_weak(b):
        a = _tensor_of(a)
    x = _tensor_of(a) if not _is_weak(a) else _operand(a, _tensor_of(b))
    y = _operand(b, x) if _is_weak(b) else _tensor_of(b)
    kind = _promoted(x.dtype, y.dtype)
    return x.to(kind), y.to(kind)


def _floats(value):
    """As the functions of analysis take it: integers become floats."""
    t = _tensor_of(value)
    if t.is_floating_point() or t.is_complex():
        return t
    return t.to(_FLOAT_FOR.get(t.dtype, torch.float64))


def _divide(x, y):
    if not (x.is_floating_point() or x.is_complex()):
        x, y = x.double(), y.double()
    return x / y


def _power(x, y):
    if not x.is_floating_point() and not x.is_complex() and (y < 0).any():
        raise ValueError('Integers to negative integer powers are not allowed.')
    return torch.pow(x, y)


def _binary(function):
    def forward(self, other):
        if isinstance(other, torch.Tensor):
            return function(self._tensor.to(other.dtype) if other.is_floating_point() else self._tensor, other)
        if other is None or isinstance(other, str):
            return NotImplemented
        return _result(function(*_pair(self, other)))

    def reflected(self, other):
        if isinstance(other, torch.Tensor):
            return function(other, self._tensor)
        return _result(function(*_pair(other, self)))

    def in_place(self, other):
        x, y = _pair(self, other)
        self._tensor.copy_(function(x, y))
        return self

    return forward, reflected, in_place


def _axes(axis, t):
    if axis is None:
        return tuple(range(t.dim()))
    return tuple(axis) if isinstance(axis, (tuple, list)) else (int(axis),)


def _key(key):
    """(an index that tensors take, axes to flip) of an index of arrays."""
    if isinstance(key, ndarray):
        return key._tensor if key._tensor.dtype == torch.bool else key._tensor.long()
    if isinstance(key, generic):
        return int(key)
    if isinstance(key, list):
        return _key(array(key)) if key else torch.zeros(0, dtype=torch.int64)
    return key


def _index(t, key):
    """(key, flips): slices with a negative step are taken forward, and flipped afterwards."""
    parts = list(key) if isinstance(key, tuple) else [key]
    parts = [_key(part) for part in parts]
    if not any(isinstance(part, slice) and part.step is not None and part.step < 0 for part in parts):
        return (tuple(parts) if isinstance(key, tuple) else parts[0]), ()
    if any(isinstance(part, (torch.Tensor, bool)) for part in parts):
        raise NotImplementedError('a slice with a negative step beside an index array is not available here')
    count = sum(1 for part in parts if part is not None and part is not Ellipsis)
    axis = place = 0
    flips = []
    out = []
    for part in parts:
        if part is Ellipsis:
            axis += t.dim() - count
            place += t.dim() - count
            out.append(part)
            continue
        if part is None:
            place += 1
            out.append(part)
            continue
        if isinstance(part, slice):
            if part.step is not None and part.step < 0:
                start, stop, step = part.indices(t.shape[axis])
                length = max(0, -((stop - start) // -step)) if start > stop else 0
                first = start + (length - 1) * step
                part = slice(first, first + (length - 1) * -step + 1, -step) if length else slice(0, 0)
                flips.append(place)
            place += 1
        out.append(part)
        axis += 1
    return tuple(out), tuple(flips)


class _Flags:
    writeable = c_contiguous = owndata = True

    def __getitem__(self, name):
        return True


class ndarray:
    __array_priority__ = 0

    def __init__(self, shape=(), dtype=float, **kwargs):
        self._tensor = torch.zeros(shape, dtype=globals()['dtype'](dtype)._torch)

    @classmethod
    def _of(cls, t):
        made = object.__new__(cls)
        made._tensor = t
        return made

    shape = property(lambda self: tuple(self._tensor.shape), lambda self, shape: setattr(self, '_tensor', self._tensor.view(shape)))
    ndim = property(lambda self: self._tensor.dim())
    size = property(lambda self: self._tensor.numel())
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.itemsize)
    strides = property(lambda self: tuple(stride * self.itemsize for stride in self._tensor.stride()))
    flags = property(lambda self: _Flags())
    T = property(lambda self: ndarray._of(self._tensor.permute(tuple(range(self.ndim))[::-1])))
    real = property(lambda self: ndarray._of(self._tensor.real if self._tensor.is_complex() else self._tensor))
    imag = property(lambda self: ndarray._of(self._tensor.imag if self._tensor.is_complex() else torch.zeros_like(self._tensor)))
    flat = property(lambda self: iter(self.ravel()))
    base = None

    @property
    def dtype(self):
        return globals()['dtype'](self._tensor.dtype)

    def __array__(self, dtype=None, copy=None):
        return self if dtype is None else self.astype(dtype)

    def __torch_tensor__(self):
        return self._tensor

    def __len__(self):
        if self.ndim == 0:
            raise TypeError('len() of unsized object')
        return self._tensor.shape[0]

    def __iter__(self):
        if self.ndim == 0:
            raise TypeError('iteration over a 0-d array')
        return (_result(each) for each in self._tensor.unbind(0))

    def __getitem__(self, key):
        key, flips = _index(self._tensor, key)
        t = self._tensor[key]
        return _result(t.flip(flips) if flips else t)

    def __setitem__(self, key, value):
        key, flips = _index(self._tensor, key)
        t = _tensor_of(value).to(self._tensor.dtype)
        self._tensor[key] = t.flip([place - self._tensor[key].dim() for place in flips]) if flips and t.dim() else t

    def __contains__(self, item):
        return bool((self._tensor == item).any())

    def __bool__(self):
        if self.size > 1:
            raise ValueError('The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()')
        return bool(self._tensor.item()) if self.size else False

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    def __index__(self):
        if self.size != 1 or self.dtype.kind not in 'iu':
            raise TypeError('only integer scalar arrays can be converted to a scalar index')
        return int(self._tensor.item())

    def __format__(self, spec):
        return format(self.item(), spec) if spec and self.size == 1 else str(self)

    __hash__ = None
    __add__, __radd__, __iadd__ = _binary(lambda x, y: x + y if x.dtype != torch.bool else x | y)
    __sub__, __rsub__, __isub__ = _binary(lambda x, y: x - y)
    __mul__, __rmul__, __imul__ = _binary(lambda x, y: x * y)
    __truediv__, __rtruediv__, __itruediv__ = _binary(_divide)
    __floordiv__, __rfloordiv__, __ifloordiv__ = _binary(lambda x, y: torch.floor_divide(x, y))
    __mod__, __rmod__, __imod__ = _binary(lambda x, y: torch.remainder(x, y))
    __pow__, __rpow__, __ipow__ = _binary(_power)
    __and__, __rand__, __iand__ = _binary(lambda x, y: x & y)
    __or__, __ror__, __ior__ = _binary(lambda x, y: x | y)
    __xor__, __rxor__, __ixor__ = _binary(lambda x, y: x ^ y)
    __lshift__, __rlshift__, __ilshift__ = _binary(lambda x, y: x << y)
    __rshift__, __rrshift__, __irshift__ = _binary(lambda x, y: x >> y)
    __lt__ = _binary(lambda x, y: x < y)[0]
    __le__ = _binary(lambda x, y: x <= y)[0]
    __gt__ = _binary(lambda x, y: x > y)[0]
    __ge__ = _binary(lambda x, y: x >= y)[0]
    __eq__ = _binary(lambda x, y: x == y)[0]
    __ne__ = _binary(lambda x, y: x != y)[0]

    def __matmul__(self, other):
        if isinstance(other, torch.Tensor):
            return self._tensor @ other
        x, y = _pair(self, other)
        return _result(x @ y)

    def __rmatmul__(self, other):
        if isinstance(other, torch.Tensor):
            return other @ self._tensor
        x, y = _pair(other, self)
        return _result(x @ y)

    dot = __matmul__

    def __neg__(self):
        return ndarray._of(-self._tensor)

    def __pos__(self):
        return self

    def __abs__(self):
        return ndarray._of(self._tensor.abs())

    def __invert__(self):
        return ndarray._of(~self._tensor)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        return array, (self.tolist(), self.dtype.name)

    def copy(self, order='C'):
        return ndarray._of(self._tensor.clone())

    def view(self, kind=None):
        return self if kind is None or kind is ndarray else ndarray._of(self._tensor.view(globals()['dtype'](kind)._torch))

    def astype(self, kind, copy=True, **kwargs):
        t = self._tensor.to(globals()['dtype'](kind)._torch)
        return ndarray._of(t.clone() if copy and t is self._tensor else t)

    def item(self, *args):
        return (self._tensor[args] if args else self._tensor).item()

    def tolist(self):
        return self._tensor.tolist()

    def tobytes(self):
        return bytes(self._tensor.contiguous().view(torch.uint8).reshape(-1).tolist())

    def fill(self, value):
        self._tensor.fill_(value)

    def reshape(self, *shape, order='C'):
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            shape = shape[0]
        shape = tuple(int(each) for each in shape)
        if order == 'F':
            return ndarray._of(self.T._tensor.reshape(shape[::-1])).T
        return ndarray._of(self._tensor.reshape(shape))

    def ravel(self, order='C'):
        return ndarray._of(self._tensor.reshape(-1))

    def flatten(self, order='C'):
        return ndarray._of(self._tensor.reshape(-1).clone())

    def squeeze(self, axis=None):
        return ndarray._of(self._tensor.squeeze() if axis is None else self._tensor.squeeze(axis))

    def transpose(self, *axes):
        if len(axes) == 1 and isinstance(axes[0], (tuple, list)):
            axes = axes[0]
        return ndarray._of(self._tensor.permute(tuple(axes))) if axes and axes[0] is not None else self.T

    def swapaxes(self, a, b):
        return ndarray._of(self._tensor.transpose(a, b))

    def repeat(self, repeats, axis=None):
        t = self._tensor.reshape(-1) if axis is None else self._tensor
        return ndarray._of(t.repeat_interleave(_tensor_of(repeats) if not isinstance(repeats, int) else repeats, dim=axis or 0))

    def sum(self, axis=None, dtype=None, keepdims=False, **kwargs):
        t = self._tensor if dtype is None else self._tensor.to(globals()['dtype'](dtype)._torch)
        return _result(t.sum(dim=_axes(axis, t), keepdim=keepdims))

    def mean(self, axis=None, dtype=None, keepdims=False, **kwargs):
        t = _floats(self) if dtype is None else self._tensor.to(globals()['dtype'](dtype)._torch)
        t = t if self.dtype.kind in 'fc' else t.double()
        return _result(t.mean(dim=_axes(axis, t), keepdim=keepdims))

    def var(self, axis=None, dtype=None, ddof=0, keepdims=False, **kwargs):
        t = self._tensor if self.dtype.kind in 'fc' else self._tensor.double()
        return _result(torch.var(t, dim=_axes(axis, t), correction=ddof, keepdim=keepdims))

    def std(self, axis=None, dtype=None, ddof=0, keepdims=False, **kwargs):
        t = self._tensor if self.dtype.kind in 'fc' else self._tensor.double()
        return _result(torch.std(t, dim=_axes(axis, t), correction=ddof, keepdim=keepdims))

    def prod(self, axis=None, keepdims=False, **kwargs):
        t = self._tensor
        for each in sorted((a % max(t.dim(), 1) for a in _axes(axis, t)), reverse=True):
            t = t.prod(dim=each, keepdim=keepdims)
        return _result(t)

    def max(self, axis=None, keepdims=False, **kwargs):
        return _result(self._tensor.amax(dim=_axes(axis, self._tensor), keepdim=keepdims))

    def min(self, axis=None, keepdims=False, **kwargs):
        return _result(self._tensor.amin(dim=_axes(axis, self._tensor), keepdim=keepdims))

    def any(self, axis=None, keepdims=False):
        t = self._tensor != 0
        return _result(t.any() if axis is None else t.any(dim=axis, keepdim=keepdims))

    def all(self, axis=None, keepdims=False):
        t = self._tensor != 0
        return _result(t.all() if axis is None else t.all(dim=axis, keepdim=keepdims))

    def argmax(self, axis=None):
        return _result(self._tensor.argmax(dim=axis))

    def argmin(self, axis=None):
        return _result(self._tensor.argmin(dim=axis))

    def argsort(self, axis=-1, kind=None):
        return ndarray._of(torch.argsort(self._tensor, dim=axis, stable=True))

    def sort(self, axis=-1):
        self._tensor.copy_(torch.sort(self._tensor, dim=axis, stable=True).values)

    def cumsum(self, axis=None, dtype=None):
        t = self._tensor.reshape(-1) if axis is None else self._tensor
        return ndarray._of(t.cumsum(axis or 0))

    def cumprod(self, axis=None):
        t = self._tensor.reshape(-1) if axis is None else self._tensor
        return ndarray._of(t.cumprod(axis or 0))

    def clip(self, min=None, max=None, **kwargs):
        return _result(torch.clamp(self._tensor, min=_tensor_of(min).to(self._tensor.dtype) if min is not None else None,
                                   max=_tensor_of(max).to(self._tensor.dtype) if max is not None else None))

    def round(self, decimals=0):
        return ndarray._of(torch.round(self._tensor, decimals=decimals) if self.dtype.kind == 'f' else self._tensor)

    def conj(self):
        return ndarray._of(self._tensor.conj().resolve_conj())

    def nonzero(self):
        return tuple(ndarray._of(each) for each in torch.nonzero(self._tensor, as_tuple=True))

    def diagonal(self, offset=0, axis1=0, axis2=1):
        return ndarray._of(torch.diagonal(self._tensor, offset, axis1, axis2))

    def trace(self):
        return _result(torch.diagonal(self._tensor).sum())

    def take(self, indices, axis=None):
        t = self._tensor.reshape(-1) if axis is None else self._tensor
        index = _tensor_of(indices).long()
        return _result(torch.index_select(t, axis or 0, index.reshape(-1)).reshape(
            t.shape[:axis or 0] + index.shape + t.shape[(axis or 0) + 1:]))

    def __repr__(self):
        from numpy._text import array_text
        kind = self.dtype.name
        tail = '' if kind in ('float64', 'int64', 'bool', 'complex128') and self.size else f', dtype={kind}'
        if self.size > 1000:
            tail = f', shape={self.shape}' + tail
        return f"array({array_text(self._tensor, ', ', 'array(')}{tail})"

    def __str__(self):
        from numpy._text import array_text
        return array_text(self._tensor, ' ', '')


def array(object, dtype=None, copy=True, ndmin=0, **kwargs):
    t = _tensor_of(object, dtype)
    if isinstance(object, (ndarray, torch.Tensor)) and copy is not False:
        t = t.clone()
    while t.dim() < ndmin:
        t = t.unsqueeze(0)
    return ndarray._of(t)
