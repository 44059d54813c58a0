# SPDX-License-Identifier: Apache-2.0
# What .metadata holds, pickled under these names.
import torch


class _MEM_FORMAT_ENCODING:
    def __init__(self, value=0):
        self.value = value

    def __reduce__(self):
        return _MEM_FORMAT_ENCODING, (self.value,)


class ChunkStorageMetadata:
    def __init__(self, offsets, sizes):
        self.offsets = offsets
        self.sizes = sizes


class TensorProperties:
    def __init__(self, dtype=torch.float32, strides=None):
        self.dtype = dtype
        self.layout = torch.strided
        self.requires_grad = False
        self.memory_format = torch.contiguous_format
        self.pin_memory = False
        self.strides = strides

    def __getstate__(self):
        return (self.dtype, self.layout, self.requires_grad, _MEM_FORMAT_ENCODING(0), self.pin_memory, self.strides)

    def __setstate__(self, state):
        self.__init__(state[0], state[5] if len(state) > 5 else None)


class TensorStorageMetadata:
    def __init__(self, properties, size, chunks):
        self.properties = properties
        self.size = size
        self.chunks = chunks


class BytesStorageMetadata:
    pass


class StorageMeta:
    modules = ()

    def __init__(self, checkpoint_id=None, save_id=None, load_id=None, modules=None):
        self.checkpoint_id = checkpoint_id
        self.save_id = save_id
        self.load_id = load_id
        self.modules = modules if modules is not None else []


class MetadataIndex:
    offset = None
    index = None

    def __init__(self, fqn, offset=None, index=None):
        self.fqn = fqn
        self.offset = offset
        self.index = index

    def __eq__(self, other):
        return isinstance(other, MetadataIndex) and (self.fqn, self.offset) == (other.fqn, other.offset)

    def __hash__(self):
        return hash((self.fqn, self.offset))


class Metadata:
    def __init__(self, state_dict_metadata, planner_data=None, storage_data=None, storage_meta=None):
        self.state_dict_metadata = state_dict_metadata
        self.planner_data = planner_data
        self.storage_data = storage_data
        self.storage_meta = storage_meta
        self.version = '1.0.0'
