# SPDX-License-Identifier: Apache-2.0
# Checkpoints that all ranks write and read: a folder with a file of parts a rank, and .metadata that says what is where.
import io
import os
import uuid
import torch
import torch.distributed as dist
from torch.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter, _StorageInfo
from torch.distributed.checkpoint.metadata import (BytesStorageMetadata, ChunkStorageMetadata, Metadata, MetadataIndex, StorageMeta,
                                                   TensorProperties, TensorStorageMetadata)
from torch.distributed.tensor import DTensor, _chunk


def _absent(name):
    def absent(*args, **kwargs):
        raise NotImplementedError("torch.distributed.checkpoint." + name + " is not here; save and load are")
    return absent


async_save = _absent('async_save')
DefaultSavePlanner = _absent('DefaultSavePlanner')
DefaultLoadPlanner = _absent('DefaultLoadPlanner')


class CheckpointException(Exception):
    pass


def _check_given(function, **given):
    for name, value in given.items():
        if value is not None:
            raise NotImplementedError("torch.distributed.checkpoint." + function + "(" + name + "=...) is not here")


def _folder(function, checkpoint_id, storage):
    if storage is not None and not isinstance(storage, (FileSystemReader, FileSystemWriter)):
        raise NotImplementedError("torch.distributed.checkpoint." + function + " of a storage that is no FileSystemReader or FileSystemWriter is not here")
    folder = checkpoint_id if checkpoint_id is not None else getattr(storage, 'path', None)
    if folder is None:
        raise RuntimeError("`checkpoint_id` must be specified if storage_reader is None.")
    return str(folder)


def _ranks(no_dist, process_group):
    if no_dist or not dist.is_initialized():
        return 0, 1
    return dist.get_rank(process_group), dist.get_world_size(process_group)


def _shared(obj, ranks, process_group, what):
    return [obj] if ranks == 1 else dist._objects(obj, process_group if process_group is not None else dist.group.WORLD, what)


# Values that have states of their own give and take these.
def _states(state_dict):
    return {key: value.state_dict() if hasattr(value, 'state_dict') and hasattr(value, 'load_state_dict') else value
            for key, value in state_dict.items()}


def _has_tensors(value):
    if isinstance(value, torch.Tensor):
        return True
    if isinstance(value, dict):
        return any(_has_tensors(each) for each in value.values())
    if isinstance(value, (list, tuple)):
        return any(_has_tensors(each) for each in value)
    return False


# [(name, path, value)]: dicts are opened, lists where they hold tensors.
def _flat(value, path=()):
    if isinstance(value, dict) and len(value) > 0:
        return [entry for key, each in value.items() for entry in _flat(each, path + (key if isinstance(key, int) else str(key),))]
    if isinstance(value, list) and _has_tensors(value):
        return [entry for i, each in enumerate(value) for entry in _flat(each, path + (i,))]
    return [('.'.join(str(key) for key in path), path, value)]


# (offsets, elements) of this rank's part.
def _part(tensor):
    if not isinstance(tensor, DTensor):
        return [0] * tensor.dim(), tensor.detach()
    offsets = [0] * len(tensor.shape)
    for dim, placement in enumerate(tensor.placements):
        if placement.is_partial():
            raise NotImplementedError("checkpoints of DTensors that are partial are not here")
        if placement.is_shard():
            rows, first, own = _chunk(tensor.shape[placement.dim], tensor.device_mesh.size(dim), tensor.device_mesh.get_local_rank(dim))
            offsets[placement.dim] = first
    return offsets, tensor._local_tensor.detach()


# Of ranks that have the same part one writes it.
def _writes(value, rank):
    if not isinstance(value, DTensor):
        return rank == 0
    coordinate = value.device_mesh.get_coordinate()
    return coordinate is not None and all(placement.is_shard() or at == 0 for placement, at in zip(value.placements, coordinate))


def _write_parts(file_name, entries, rank):
    written = []
    with open(file_name, 'wb') as file:
        at = 0
        for name, path, value in entries:
            if not _writes(value, rank):
                continue
            offsets, part = _part(value) if isinstance(value, torch.Tensor) else (None, value)
            if offsets is not None and part.numel() == 0 and len(part.shape) > 0:
                continue
            stream = io.BytesIO()
            torch.save(part.clone().contiguous() if offsets is not None else part, stream)
            data = stream.getvalue()
            file.write(data)
            written.append((name, offsets, list(part.shape) if offsets is not None else None, at, len(data)))
            at += len(data)
    return written


def _metadata(entries, everything, folder):
    blocks, storage = {}, {}
    for rank, written in enumerate(everything):
        for name, offsets, sizes, at, length in written:
            info = _StorageInfo('__' + str(rank) + '_0.distcp', at, length)
            if offsets is None:
                storage[MetadataIndex(name)] = info
                continue
            chunks = blocks.setdefault(name, [])
            storage[MetadataIndex(name, torch.Size(offsets), len(chunks))] = info
            chunks.append(ChunkStorageMetadata(torch.Size(offsets), torch.Size(sizes)))
    described = {}
    for name, path, value in entries:
        if isinstance(value, torch.Tensor):
            described[name] = TensorStorageMetadata(TensorProperties(value.dtype, tuple(value.stride())), value.shape, blocks.get(name, []))
        else:
            described[name] = BytesStorageMetadata()
    return Metadata(described, {name: path for name, path, value in entries}, storage,
                    StorageMeta(folder, str(uuid.uuid4())))


def save(state_dict, *, checkpoint_id=None, storage_writer=None, planner=None, process_group=None, no_dist=False, use_collectives=True):
    _check_given('save', planner=planner)
    folder = _folder('save', checkpoint_id, storage_writer)
    rank, ranks = _ranks(no_dist, process_group)
    entries = _flat(_states(state_dict))
    os.makedirs(folder, exist_ok=True)
    with torch.no_grad():
        written = _write_parts(os.path.join(folder, '__' + str(rank) + '_0.distcp'), entries, rank)
    everything = _shared(written, ranks, process_group, 'dcp.save')
    metadata = _metadata(entries, everything, folder)
    if rank == 0:
        temporary = os.path.join(folder, '.metadata.tmp')
        with open(temporary, 'wb') as file:
            file.write(torch._pickle_dumps(metadata))
        os.rename(temporary, os.path.join(folder, '.metadata'))
    _shared(None, ranks, process_group, 'dcp.save')
    return metadata


class _Parts:
    def __init__(self, folder, metadata):
        self.folder = folder
        self.places = {}
        for index, info in metadata.storage_data.items():
            offset = tuple(index.offset) if index.offset is not None else None
            self.places[(index.fqn, offset)] = info

    def read(self, name, offset):
        info = self.places.get((name, offset))
        if info is None:
            raise CheckpointException("the checkpoint has no part of " + name + " at " + str(offset))
        with open(os.path.join(self.folder, info.relative_path), 'rb') as file:
            file.seek(info.offset)
            return torch.load(io.BytesIO(file.read(info.length)), weights_only=False)


def _fill(tensor, name, described, parts):
    if not isinstance(described, TensorStorageMetadata) or tuple(described.size) != tuple(tensor.shape):
        have = str(described.size) if isinstance(described, TensorStorageMetadata) else 'no tensor'
        raise ValueError("Size mismatch between saved " + have + " and current: " + str(tensor.shape) + " for " + name)
    offsets, own = _part(tensor)
    for chunk in described.chunks:
        first = [max(a, b) for a, b in zip(offsets, chunk.offsets)]
        last = [min(a + n, b + m) for a, n, b, m in zip(offsets, own.shape, chunk.offsets, chunk.sizes)]
        if any(b <= a for a, b in zip(first, last)):
            continue
        to, block = own, parts.read(name, tuple(chunk.offsets))
        for dim in range(len(first)):
            to = to.narrow(dim, first[dim] - offsets[dim], last[dim] - first[dim])
            block = block.narrow(dim, first[dim] - chunk.offsets[dim], last[dim] - first[dim])
        to.copy_(block)


def _put(state_dict, path, value):
    for key in path[:-1]:
        state_dict = state_dict[key]
    state_dict[path[-1]] = value


# Tensors are filled in place, each rank's parts from whichever ranks wrote them; other values are replaced.
def load(state_dict, *, checkpoint_id=None, storage_reader=None, planner=None, process_group=None, no_dist=False):
    _check_given('load', planner=planner)
    folder = _folder('load', checkpoint_id, storage_reader)
    rank, ranks = _ranks(no_dist, process_group)
    with open(os.path.join(folder, '.metadata'), 'rb') as file:
        metadata = torch._pickle_loads(file.read())[0]
    parts = _Parts(folder, metadata)
    states = _states(state_dict)
    with torch.no_grad():
        for name, path, value in _flat(states):
            described = metadata.state_dict_metadata.get(name)
            if described is None:
                raise RuntimeError("Missing key in checkpoint state_dict: " + name + ".")
            if isinstance(value, torch.Tensor):
                _fill(value, name, described, parts)
            else:
                _put(states, path, parts.read(name, None))
    for key, value in state_dict.items():
        if hasattr(value, 'state_dict') and hasattr(value, 'load_state_dict'):
            value.load_state_dict(states[key])
        else:
            state_dict[key] = states[key]
    _shared(None, ranks, process_group, 'dcp.load')


save_state_dict = _absent('save_state_dict')
load_state_dict = _absent('load_state_dict')
