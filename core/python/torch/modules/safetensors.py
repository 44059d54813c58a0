# SPDX-License-Identifier: Apache-2.0
import torch as _torch

__version__ = '0.8.0'


class SafetensorError(Exception):
    pass


class _Slice:
    def __init__(self, tensor, dtype, shape):
        self._tensor = tensor
        self._dtype = dtype
        self._shape = shape

    def get_shape(self):
        return list(self._shape)

    def get_dtype(self):
        return self._dtype

    def __getitem__(self, index):
        return self._tensor[index]


class safe_open:
    def __init__(self, filename, framework, device='cpu', *, backend='mmap'):
        if framework not in ('pt', 'torch', 'pytorch'):
            raise SafetensorError(f'framework {framework} is invalid')
        self._device = device
        try:
            entries, self._metadata = _torch._safetensors_read(filename)
        except RuntimeError as error:
            raise SafetensorError(f'Error while deserializing header: {error}') from None
        self._entries = {name: (tensor, dtype, shape) for name, tensor, dtype, shape in entries}

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        return None

    def keys(self):
        return sorted(self._entries)

    def offset_keys(self):
        return list(self._entries)

    def metadata(self):
        return self._metadata

    def _entry(self, name):
        if name not in self._entries:
            raise SafetensorError(f'File does not contain tensor {name}')
        tensor, dtype, shape = self._entries[name]
        if tensor is None:
            raise NotImplementedError(f'{name} has the dtype {dtype}, which is not available here')
        return tensor if str(self._device) == 'cpu' else tensor.to(self._device), dtype, shape

    def get_tensor(self, name):
        return self._entry(name)[0].clone()

    def get_tensors(self):
        return {name: self._entry(name)[0] for name in self._entries}

    def get_slice(self, name):
        return _Slice(*self._entry(name))


def _read_bytes(data):
    import io
    return safe_open(io.BytesIO(data), 'pt')
