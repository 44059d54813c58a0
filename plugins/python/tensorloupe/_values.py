# SPDX-License-Identifier: Apache-2.0
"""Which tensor is which: storages while they live, and values, a value being a tensor at one version."""

import weakref

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from ._model import bytes_of, dtype_name
from ._pieces import dense
from ._statistics import Numbers

PARAMETER, BUFFER, ACTIVATION, SAVED, GRADIENT, WORKSPACE, INPUT, OTHER = range(8)

# The Python object of a storage lives as long as the storage does since PyTorch 2.1.
_STORAGE_OBJECTS_STAY = tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 1)

_TYPE_NAMES = {
    "float16": "Half",
    "float32": "Float",
    "float64": "Double",
    "bfloat16": "BFloat16",
    "int8": "Char",
    "uint8": "Byte",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "bool": "Bool",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
}
# What the reader knows besides; others are shown as bytes.
_READ = {"complex32", "uint16", "uint32", "uint64", "quint8", "qint8", "qint32", "quint4x2", "float8_e8m0fnu"} | {
    f"float8_{kind}" for kind in ("e5m2", "e4m3fn", "e5m2fnuz", "e4m3fnuz")
}


def type_text(value):
    """As a graph prints it: "Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)"."""
    if not value.is_strided:
        return "Tensor"
    sizes = "".join(f"{size}, " for size in value.shape)
    name = _TYPE_NAMES.get(value.dtype, "Tensor")
    return f"{name}({sizes}strides={value.strides}, requires_grad={int(value.requires_grad)}, device={value.device})"


_storage_of = getattr(torch.Tensor, "untyped_storage", None) or torch.Tensor._storage  # before PyTorch 2.0


class _Names(dict):
    """Texts that are made once."""

    def __init__(self, make):
        super().__init__()
        self._make = make

    def __missing__(self, key):
        self[key] = made = self._make(key)
        return made


def _shown_dtype(dtype):
    name = dtype_name(dtype)
    return name if name in _READ or name in _TYPE_NAMES else "uint8"


_dtype_names = _Names(_shown_dtype)
_device_names = _Names(str)


class _Storage:
    __slots__ = ("number", "reference", "bytes", "allocation", "watch", "kept", "measured")

    def __init__(self, number, reference, size):
        self.number = number
        self.reference = reference
        self.bytes = size
        self.allocation = None
        self.watch = None
        self.kept = {}  # values at its present state by how they look at it
        self.measured = {}  # likewise, numbers by which elements they are of


class Allocation:
    __slots__ = ("storage", "address", "bytes", "category", "allocated", "freed", "saved_by", "scope", "owner", "device")


class Value:
    __slots__ = (
        "number",
        "producer",
        "name",
        "dtype",
        "shape",
        "strides",
        "offset",
        "bytes",
        "storage",
        "requires_grad",
        "gradient_of",
        "statistics",
        "array",
        "left_out",
        "is_input",
        "is_strided",
        "device",
    )


class Values:
    def __init__(self):
        self.values = []
        self.allocations = []
        self.alive = 0
        self.peak = 0
        self._storages = {}
        self._count = 0
        self._last = None, None
        self._ended = []  # blocks since settle()
        self._unwatched = []  # storages whose end is found by asking

    def storage_number(self, tensor):
        storage = self._storage(tensor)
        return storage.number if storage else 0

    def _storage(self, tensor):
        if tensor is self._last[0]:  # one is asked about several times in a row
            return self._last[1]
        self._last = tensor, self._look_up(tensor)
        return self._last[1]

    def forget_last(self):
        """So that it is not held."""
        self._last = None, None

    def _look_up(self, tensor):
        try:
            found = _storage_of(tensor)
            key = found._cdata
        except (RuntimeError, NotImplementedError, AttributeError):
            return None  # sparse, or a wrapper around other tensors
        storage = self._storages.get(key)
        if storage is not None and not storage.reference.expired():
            return storage
        self._count += 1
        storage = _Storage(self._count, StorageWeakRef(found), found.nbytes())
        self._storages[key] = storage
        return storage

    def allocate(self, tensor, event, category, scope="", owner=""):
        """Notes the block of a tensor once."""
        storage = self._storage(tensor)
        if storage is None or storage.allocation is not None:
            return None
        block = Allocation()
        block.storage, block.bytes, block.category = storage.number, storage.bytes, category
        block.address = tensor.data_ptr() if tensor.device.type != "meta" else 0
        block.allocated, block.freed, block.saved_by = event, 0, 0
        block.scope, block.owner = scope, owner
        block.device = "" if tensor.device.type == "cpu" else _device_names[tensor.device]
        storage.allocation = len(self.allocations)
        self.allocations.append(block)
        self.alive += storage.bytes
        self.peak = max(self.peak, self.alive)
        if category not in (PARAMETER, BUFFER):
            if _STORAGE_OBJECTS_STAY:
                # Whenever and on whatever thread that is: it only joins a list.
                storage.watch = weakref.finalize(_storage_of(tensor), self._ended.append, block)
                storage.watch.atexit = False
            else:
                self._unwatched.append((storage.reference, block))
        return block

    def settle(self, event):
        """What ended since the last call was freed after `event`."""
        if self._unwatched:
            left = []
            for reference, block in self._unwatched:
                if reference.expired():
                    self._ended.append(block)
                else:
                    left.append((reference, block))
            self._unwatched = left
        while self._ended:
            block = self._ended.pop()
            if block.freed == 0:
                block.freed = max(event, block.allocated)
                self.alive -= block.bytes

    def stop_watching(self):
        for storage in self._storages.values():
            if storage.watch is not None:
                storage.watch.detach()

    def written(self, tensor):
        """It was written in place: what looks at its elements is another value from now on."""
        storage = self._storage(tensor)
        if storage is not None:
            storage.kept = {}
            storage.measured = {}

    def numbers(self, tensor):
        """What is known, or asked for, about just these elements, however they are looked at; None where it cannot be
        said."""
        storage = self._storage(tensor)
        if storage is None or tensor.layout != torch.strided or tensor.is_quantized:
            return None
        if not tensor.is_contiguous() and dense(tensor) is None:
            return None
        key = tensor.dtype, tensor.storage_offset(), tensor.numel(), tensor.is_neg()
        found = storage.measured.get(key)
        if found is None:
            found = storage.measured[key] = Numbers()
        return found

    def find(self, tensor):
        """The value, or None where it is not known yet."""
        storage = self._storage(tensor)
        return storage.kept.get(self._look(tensor)) if storage is not None else None

    def add(self, tensor, producer, name=""):
        value = Value()
        value.producer, value.name = producer, name
        value.dtype = _dtype_names[tensor.dtype]
        value.shape = [int(size) for size in tensor.shape]
        storage = self._storage(tensor)
        value.is_strided = is_strided = storage is not None and tensor.layout == torch.strided
        value.strides = list(tensor.stride()) if is_strided else [0] * tensor.dim()
        value.offset = tensor.storage_offset() if is_strided else 0
        value.bytes = bytes_of(tensor)
        value.device = _device_names[tensor.device]
        value.storage = storage.number if storage else 0
        value.requires_grad = bool(tensor.requires_grad)
        value.gradient_of, value.statistics, value.array = 0, None, 0
        value.left_out = value.is_input = False
        value.number = len(self.values) + 1
        self.values.append(value)
        if storage is not None:
            storage.kept[self._look(tensor)] = value
        return value

    @staticmethod
    def _look(tensor):
        if tensor.layout != torch.strided:
            return id(tensor)
        # Elements of the same memory with another sign are others.
        turned = tensor.is_neg() or tensor.is_conj()
        return tensor.dtype, tensor.storage_offset(), tensor.shape, tensor.stride(), turned and (tensor.is_conj(), tensor.is_neg())

    def allocation_of(self, tensor):
        storage = self._storage(tensor)
        if storage is None or storage.allocation is None:
            return None
        return storage.allocation
