# SPDX-License-Identifier: Apache-2.0
import io as _io
from collections import defaultdict as _defaultdict

import torch
from safetensors import safe_open
from safetensors import _read_bytes


# The sets of names whose tensors overlap in memory, those of one name too.
def _find_shared_tensors(state_dict):
    by_storage = _defaultdict(set)
    for name, tensor in state_dict.items():
        if tensor.device.type == 'meta':
            continue
        storage, size = torch._safetensors_area(tensor)[:2]
        if size != 0:
            by_storage[storage].add(name)
    found = []
    for names in by_storage.values():
        areas = sorted((*torch._safetensors_area(state_dict[name])[2:4], name) for name in names)
        stop = None
        for start, end, name in areas:
            if stop is None or start >= stop:
                found.append({name})
            else:
                found[-1].add(name)
            stop = end
    return found


def _is_complete(tensor):
    return torch._safetensors_area(tensor)[4]


def _remove_duplicate_names(state_dict, *, preferred_names=None, discard_names=None):
    preferred_names = set(preferred_names or ())
    discard_names = set(discard_names or ())
    to_remove = _defaultdict(list)
    for shared in _find_shared_tensors(state_dict):
        complete_names = {name for name in shared if _is_complete(state_dict[name])}
        if not complete_names:
            raise RuntimeError(
                'Error while trying to find names to remove to save state dict, but found no suitable name to keep'
                f' for saving amongst: {shared}. None is covering the entire storage.Refusing to save/load the model'
                ' since you could be storing much more memory than needed. Please refer to'
                ' https://huggingface.co/docs/safetensors/torch_shared_tensors for more information. Or open an'
                ' issue.')
        kept = min(complete_names)
        for choice in (complete_names - discard_names, preferred_names & complete_names):
            if choice:
                kept = min(choice)
        for name in sorted(shared):
            if name != kept:
                to_remove[kept].append(name)
    return to_remove


def _check_for_save(tensors):
    if not isinstance(tensors, dict):
        raise ValueError(f'Expected a dict of [str, torch.Tensor] but received {type(tensors)}')
    sparse_tensors = []
    for name, tensor in tensors.items():
        if not isinstance(tensor, torch.Tensor):
            raise ValueError(f'Key `{name}` is invalid, expected torch.Tensor but received {type(tensor)}')
        if tensor.layout != torch.strided:
            sparse_tensors.append(name)
    if sparse_tensors:
        raise ValueError(
            f'You are trying to save a sparse tensors: `{sparse_tensors}` which this library does not support.'
            ' You can make it a dense tensor before saving with `.to_dense()` but be aware this might'
            ' make a much larger file than needed.')
    failing = [names for names in _find_shared_tensors(tensors) if len(names) > 1]
    if failing:
        raise RuntimeError(
            f"""
            Some tensors share memory, this will lead to duplicate memory on disk and potential differences when loading them again: {failing}.
            A potential way to correctly save your model is to use `save_model`.
            More information at https://huggingface.co/docs/safetensors/torch_shared_tensors
            """)
    for name, tensor in tensors.items():
        if not tensor.is_contiguous():
            raise ValueError(
                f'You are trying to save a non contiguous tensor: `{name}` which is not allowed. It either means you'
                ' are trying to save tensors which are reference of each other in which case it\'s recommended to save'
                ' only the full tensors, and reslice at load time, or simply call `.contiguous()` on your tensor to'
                ' pack it before saving.')


def save_file(tensors, filename, metadata=None):
    _check_for_save(tensors)
    torch._safetensors_write(tensors, filename, metadata)


def save(tensors, metadata=None):
    stream = _io.BytesIO()
    save_file(tensors, stream, metadata)
    return stream.getvalue()


def load_file(filename, device='cpu', *, backend='mmap'):
    with safe_open(filename, framework='pt', device=device, backend=backend) as f:
        return f.get_tensors()


def load(data):
    return _read_bytes(data).get_tensors()


def save_model(model, filename, metadata=None, force_contiguous=True):
    state_dict = model.state_dict()
    for kept, names in _remove_duplicate_names(state_dict).items():
        for name in names:
            if metadata is None:
                metadata = {}
            if name not in metadata:
                metadata[name] = kept
            del state_dict[name]
    if force_contiguous:
        state_dict = {name: tensor.contiguous() for name, tensor in state_dict.items()}
    try:
        save_file(state_dict, filename, metadata=metadata)
    except ValueError as error:
        raise ValueError(
            str(error) + ' Or use save_model(..., force_contiguous=True), read the docs for potential caveats.')


def load_model(model, filename, strict=True, device='cpu', *, backend='mmap'):
    state_dict = load_file(filename, device=device, backend=backend)
    to_removes = _remove_duplicate_names(model.state_dict(), preferred_names=state_dict.keys())
    found = model.load_state_dict(state_dict, strict=False)
    missing, unexpected = set(found.missing_keys), found.unexpected_keys
    for names in to_removes.values():
        for name in names:
            if name not in missing:
                unexpected.append(name)
            else:
                missing.remove(name)
    if strict and (missing or unexpected):
        missing_keys = ', '.join(f'"{name}"' for name in sorted(missing))
        unexpected_keys = ', '.join(f'"{name}"' for name in sorted(unexpected))
        error = f'Error(s) in loading state_dict for {model.__class__.__name__}:'
        if missing:
            error += f'\n    Missing key(s) in state_dict: {missing_keys}'
        if unexpected:
            error += f'\n    Unexpected key(s) in state_dict: {unexpected_keys}'
        raise RuntimeError(error)
    return missing, unexpected
