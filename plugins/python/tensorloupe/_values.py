# SPDX-License-Identifier: Apache-2.0
"""Which tensor is which: storages while they live, and values, a value being a tensor at one version."""

import weakref

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from ._model import bytes_of, dtype_name
from ._statistics import Numbers, dense

PARAMETER, BUFFER, ACTIVATION, SAVED, GRADIENT, WORKSPACE, INPUT, OTHER = range(8)

# The Python object of a storage lives as long as the storage does since PyTorch 2.1.
_STORAGE_OBJECTS_STAY = tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 1)

_TYPE_NAMES = {
    torch.float16: "Half",
    torch.float32: "Float",
    torch.float64: "Double",
    torch.bfloat16: "BFloat16",
    torch.int8: "Char",
    torch.uint8: "Byte",
    torch.int16: "Short",
    torch.int32: "Int",
    torch.int64: "Long",
    torch.bool: "Bool",
    torch.complex64: "ComplexFloat",
    torch.complex128: "ComplexDouble",
}


def type_text(tensor):
    """As a graph prints it: "Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)"."""
    if tensor.layout != torch.strided:
        return "Tensor"
    sizes = "".join(f"{size}, " for size in tensor.shape)
    strides = ", ".join(str(stride) for stride in tensor.stride())
    name = _TYPE_NAMES.get(tensor.dtype, "Tensor")
    return f"{name}({sizes}strides=[{strides}], requires_grad={int(tensor.requires_grad)}, device={tensor.device})"


_storage_of = getattr(torch.Tensor, "untyped_storage", None) or torch.Tensor._storage  # before PyTorch 2.0


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
        self._unwatched = []  # storages that tell nobody of their end

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
        block.device = "" if tensor.device.type == "cpu" else str(tensor.device)
        storage.allocation = len(self.allocations)
        self.allocations.append(block)
        self.alive += storage.bytes
        self.peak = max(self.peak, self.alive)
        if category not in (PARAMETER, BUFFER):
            if _STORAGE_OBJECTS_STAY:
                storage.watch = weakref.finalize(_storage_of(tensor), self._freed, block)
                storage.watch.atexit = False
            else:
                self._unwatched.append((storage.reference, block))
        return block

    def _freed(self, block):
        if block.freed == 0:
            block.freed = -1  # settle() says when
            self.alive -= block.bytes
            self._ended.append(block)

    def settle(self, event):
        """What ended since the last call was freed after `event`."""
        if self._unwatched:
            left = []
            for reference, block in self._unwatched:
                if reference.expired():
                    self._freed(block)
                else:
                    left.append((reference, block))
            self._unwatched = left
        if self._ended:
            for block in self._ended:
                block.freed = max(event, block.allocated)
            self._ended = []

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
        if storage is None or tensor.layout != torch.strided or dense(tensor) is None:
            return None
        return storage.measured.setdefault((tensor.dtype, tensor.storage_offset(), tensor.numel()), Numbers())

    def find(self, tensor):
        """The value, or None where it is not known yet."""
        storage = self._storage(tensor)
        return storage.kept.get(self._look(tensor)) if storage is not None else None

    def add(self, tensor, producer, name=""):
        value = Value()
        value.number = len(self.values) + 1
        value.producer, value.name = producer, name
        value.dtype = dtype_name(tensor.dtype)
        value.shape = list(tensor.shape)
        storage = self._storage(tensor)
        is_strided = storage is not None and tensor.layout == torch.strided
        value.strides = list(tensor.stride()) if is_strided else [0] * tensor.dim()
        value.offset = tensor.storage_offset() if is_strided else 0
        value.bytes = bytes_of(tensor)
        value.storage = storage.number if storage else 0
        value.requires_grad = bool(tensor.requires_grad)
        value.gradient_of, value.statistics, value.array = 0, None, 0
        value.left_out = value.is_input = False
        self.values.append(value)
        if storage is not None:
            storage.kept[self._look(tensor)] = value
        return value

    @staticmethod
    def _look(tensor):
        if tensor.layout != torch.strided:
            return id(tensor)
        return tensor.dtype, tensor.storage_offset(), tuple(tensor.shape), tensor.stride()

    def allocation_of(self, tensor):
        storage = self._storage(tensor)
        if storage is None or storage.allocation is None:
            return None
        return storage.allocation
