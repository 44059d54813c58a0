# SPDX-License-Identifier: Apache-2.0
# numpy's dtypes and scalars.
import torch


def _made(value, kind):
    from numpy._array import array
    return array(value, dtype=kind)


def _is_array(value):
    return isinstance(value, (torch.Tensor, list, tuple)) or hasattr(value, '_tensor')


class generic:
    """What a full reduction and an element give: a Python number that knows its dtype."""
    shape = ()
    ndim = 0
    size = 1

    @property
    def dtype(self):
        return dtype(type(self))

    def item(self):
        return self._plain(self)

    tolist = item

    def astype(self, kind):
        return _scalar_of(dtype(kind), self._plain(self))

    def __array__(self, dtype=None):
        return _made(self.item(), dtype or type(self))

    def __repr__(self):
        return f'np.{type(self).__name__}({self._plain(self)!r})'

    def __str__(self):
        return str(self._plain(self))

    def copy(self):
        return self

    def round(self, decimals=0):
        return type(self)(round(self._plain(self), decimals))

    def mean(self):
        return float64(self)

    def sum(self):
        return self

    def reshape(self, *shape):
        return _made(self.item(), type(self)).reshape(*shape)

    def __getitem__(self, key):
        return _made(self.item(), type(self))[key]


class number(generic):
    pass


class integer(number):
    pass


class signedinteger(integer):
    pass


class unsignedinteger(integer):
    pass


class inexact(number):
    pass


class floating(inexact):
    pass


class complexfloating(inexact):
    pass


def _float_class(name):
    def make(cls, value=0.0):
        if _is_array(value):
            return _made(value, cls)
        return float.__new__(cls, value)
    return type(name, (floating, float), {'__new__': make, '_plain': float, '__hash__': float.__hash__})


def _int_class(name, base):
    def make(cls, value=0):
        if _is_array(value):
            return _made(value, cls)
        return int.__new__(cls, int(value))
    return type(name, (base, int), {'__new__': make, '_plain': int, '__hash__': int.__hash__})


float64 = double = _float_class('float64')
float32 = single = _float_class('float32')
float16 = half = _float_class('float16')
int64 = int_ = intp = longlong = _int_class('int64', signedinteger)
int32 = intc = _int_class('int32', signedinteger)
int16 = short = _int_class('int16', signedinteger)
int8 = byte = _int_class('int8', signedinteger)
uint8 = ubyte = _int_class('uint8', unsignedinteger)
uint16 = ushort = _int_class('uint16', unsignedinteger)
uint32 = uintc = _int_class('uint32', unsignedinteger)
uint64 = uint = uintp = _int_class('uint64', unsignedinteger)


class bool_(generic):
    def __new__(cls, value=False):
        if _is_array(value):
            return _made(value, bool)
        return bool(value)


class complex64(complexfloating):
    def __new__(cls, value=0j):
        return complex(value)


class complex128(complexfloating):
    def __new__(cls, value=0j):
        return complex(value)


class object_(generic):
    pass


class str_(generic):
    pass


_KINDS = [(bool_, 'bool', torch.bool, 'b', 1), (int8, 'int8', torch.int8, 'i', 1), (int16, 'int16', torch.int16, 'i', 2),
          (int32, 'int32', torch.int32, 'i', 4), (int64, 'int64', torch.int64, 'i', 8), (uint8, 'uint8', torch.uint8, 'u', 1),
          (uint16, 'uint16', torch.uint16, 'u', 2), (uint32, 'uint32', torch.uint32, 'u', 4), (uint64, 'uint64', torch.uint64, 'u', 8),
          (float16, 'float16', torch.float16, 'f', 2), (float32, 'float32', torch.float32, 'f', 4),
          (float64, 'float64', torch.float64, 'f', 8), (complex64, 'complex64', torch.complex64, 'c', 8),
          (complex128, 'complex128', torch.complex128, 'c', 16)]
_ALIASES = {'float': 'float64', 'double': 'float64', 'f8': 'float64', 'd': 'float64', 'single': 'float32', 'f4': 'float32', 'f': 'float32',
            'half': 'float16', 'f2': 'float16', 'e': 'float16', 'int': 'int64', 'long': 'int64', 'i8': 'int64', 'l': 'int64', 'q': 'int64',
            'i4': 'int32', 'i': 'int32', 'i2': 'int16', 'h': 'int16', 'i1': 'int8', 'b': 'int8', 'u1': 'uint8', 'B': 'uint8', 'u2': 'uint16',
            'u4': 'uint32', 'u8': 'uint64', '?': 'bool', 'b1': 'bool', 'bool_': 'bool', 'complex': 'complex128', 'c16': 'complex128',
            'c8': 'complex64', 'uint': 'uint64'}


class dtype:
    _made = {}

    def __new__(cls, kind=None, copy=False):
        if isinstance(kind, dtype):
            return kind
        name = cls._name_of(kind)
        made = cls._made.get(name)
        if made is None:
            for scalar, known, of_torch, letter, size in _KINDS:
                if known == name:
                    made = object.__new__(cls)
                    made.type, made.name, made._torch, made.kind, made.itemsize = scalar, name, of_torch, letter, size
                    made.char = letter
                    cls._made[name] = made
        if made is None:
            raise TypeError(f'data type {kind!r} not understood')
        return made

    @staticmethod
    def _name_of(kind):
        if kind is None or kind is float:
            return 'float64'
        if kind is int:
            return 'int64'
        if kind is bool:
            return 'bool'
        if kind is complex:
            return 'complex128'
        if isinstance(kind, str):
            name = kind.lstrip('<>=|')
            return _ALIASES.get(name, name)
        if isinstance(kind, torch.dtype):
            return next((known for _, known, of_torch, _, _ in _KINDS if of_torch == kind), None)
        return next((known for scalar, known, _, _, _ in _KINDS if scalar is kind), None)

    @property
    def str(self):
        return ('|' if self.itemsize == 1 else '<') + self.kind + repr(self.itemsize)

    def __eq__(self, other):
        try:
            return dtype(other) is self
        except TypeError:
            return False

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"dtype('{self.name}')"

    def __str__(self):
        return self.name


def _scalar_of(kind, value):
    if kind.kind == 'b':
        return bool(value)
    if kind.kind == 'c':
        return complex(value)
    return kind.type(value)
