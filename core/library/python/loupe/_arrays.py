# SPDX-License-Identifier: Apache-2.0
"""What Python and numpy expect of a tensor beside its own methods: lists, copies, pickles, arrays as arguments."""

from ._engine import Object, Tensor, from_buffer, from_dlpack, import_module

_torch = import_module("torch")

# Operators that take an array on either side.
_BINARY = "add sub mul matmul truediv floordiv mod pow lshift rshift and or xor".split()
_COMPARISONS = "lt le gt ge eq ne".split()


class Size(tuple):
    """torch.Size: the sizes of a tensor."""

    __slots__ = ()

    def numel(self):
        """The number of elements."""
        product = 1
        for size in self:
            product *= size
        return product

    def __getitem__(self, index):
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))

    def __repr__(self):
        return f"torch.Size([{', '.join(map(repr, self))}])"


def is_array(data):
    """An array of another framework; a number of numpy is none."""
    if isinstance(data, Object) or not (hasattr(data, "__array_interface__") or hasattr(data, "__dlpack__")):
        return False
    return not (hasattr(data, "__array_interface__") and hasattr(data, "item") and not hasattr(data, "__setitem__"))


def copied(array):
    """A tensor with a copy of the elements."""
    if hasattr(array, "__array_interface__"):
        import numpy

        # Read-only arrays and negative strides too.
        return from_buffer(numpy.array(array, order="C"))
    return from_dlpack(array).clone()


def _as_tensor(value):
    if isinstance(value, tuple):
        return tuple(map(_as_tensor, value))
    return copied(value) if is_array(value) else value


def _plain(value):
    """Lists of the engine as lists of Python."""
    return [_plain(each) for each in value] if isinstance(value, Object) else value


def _tolist(self):
    """The elements as nested lists; a number for a tensor without dimensions."""
    try:
        return memoryview(self.detach().cpu()).tolist()
    except (BufferError, NotImplementedError, ValueError):
        return _plain(Object.__getattr__(self, "tolist")())


def _numpy(self, *, force=False):
    """A numpy array over the same memory. force: of a copy on the host where it cannot be shared."""
    return _shared_numpy(self.detach().cpu() if force else self)


def _array_wrap(self, array, context=None, return_scalar=False):
    # What numpy's functions give for a tensor is a tensor.
    return copied(array)


def _size(self, dim=None):
    """The sizes, or that of one dimension."""
    sizes = Size(Object.__getattr__(self, "shape"))
    return sizes if dim is None else Object.__getattr__(self, "size")(dim)


def _taking_arrays(name):
    own = getattr(Object, name)

    def method(self, other):
        return own(self, copied(other) if is_array(other) else other)

    method.__name__ = name
    return method


def _reduction(name):
    def method(self, *args, **keywords):
        # numpy gives every argument that it has: numpy.sum(x) is x.sum(axis=None, dtype=None, out=None).
        given = {key: value for key, value in keywords.items() if value is not None}
        return Object.__getattr__(self, name)(*args, **given)

    method.__name__ = name
    return method


def _restored(data):
    return _torch.load(import_module("io").BytesIO(data), weights_only=False)


def _reduce(self, protocol):
    # As torch.save writes it.
    into = import_module("io").BytesIO()
    _torch.save(self, into)
    return _restored, (bytes(into.getvalue()),)


def _deepcopy(self, memo):
    return import_module("copy").deepcopy(self)


def _copy(self):
    return import_module("copy").copy(self)


_shared_numpy = Tensor.numpy
for _name in _BINARY:
    for _form in (f"__{_name}__", f"__r{_name}__", f"__i{_name}__"):
        setattr(Tensor, _form, _taking_arrays(_form))
for _name in _COMPARISONS:
    setattr(Tensor, f"__{_name}__", _taking_arrays(f"__{_name}__"))
# A class with an __eq__ of its own has no hash unless it says so.
Tensor.__hash__ = Object.__hash__
Tensor.__getitem__ = lambda self, key: Object.__getitem__(self, _as_tensor(key))
Tensor.__setitem__ = lambda self, key, value: Object.__setitem__(self, _as_tensor(key), _as_tensor(value))
Tensor.__array_priority__ = 1000  # numpy leaves operators with an array to the tensor
Tensor.__array_wrap__ = _array_wrap
Tensor.tolist = _tolist
for _name in ("mean", "prod", "sum"):
    setattr(Tensor, _name, _reduction(_name))
Tensor.numpy = _numpy
Tensor.size = _size
Tensor.shape = property(_size, lambda self, value: Object.__setattr__(self, "shape", value), doc="The sizes.")
Object.__reduce_ex__ = _reduce
Object.__deepcopy__ = _deepcopy
Object.__copy__ = _copy
