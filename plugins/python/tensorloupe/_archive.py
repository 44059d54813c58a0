# SPDX-License-Identifier: Apache-2.0
"""Writes the ZIP archive that a .loupe file is; core/record/recording_file.h says what stands in it."""

import ctypes
import os
import zipfile

import torch

_ALIGNMENT = 64
_CODES = {
    torch.bool: "|b1",
    torch.uint8: "|u1",
    torch.int8: "|i1",
    torch.int16: "<i2",
    torch.int32: "<i4",
    torch.int64: "<i8",
    torch.float16: "<f2",
    torch.float32: "<f4",
    torch.float64: "<f8",
    torch.complex64: "<c8",
    torch.complex128: "<c16",
}
for _name, _code in (("uint16", "<u2"), ("uint32", "<u4"), ("uint64", "<u8")):
    if hasattr(torch, _name):
        _CODES[getattr(torch, _name)] = _code


class Archive:
    """The file appears under its name when it is whole, in finish()."""

    def __init__(self, path):
        self._path = os.fspath(path)
        self._partial = f"{self._path}.{os.getpid()}.part"
        self._zip = zipfile.ZipFile(self._partial, "w", zipfile.ZIP_STORED, allowZip64=True)

    def add(self, name, *parts):
        """An entry of parts of bytes one behind the other; it begins at a multiple of 64 bytes."""
        info = zipfile.ZipInfo(name)
        size = sum(len(part) for part in parts)
        # A field of padding; one that is as large as a ZIP of old allows gets sizes of 8 bytes in front of it.
        begin = self._zip.fp.tell() + 30 + len(name.encode()) + 4
        if size < zipfile.ZIP64_LIMIT:
            padding = -begin % _ALIGNMENT
            info.extra = b"FB" + padding.to_bytes(2, "little") + b"Z" * padding
        info.file_size = size
        with self._zip.open(info, "w", force_zip64=size >= zipfile.ZIP64_LIMIT) as out:
            for part in parts:
                out.write(part)

    def add_array(self, name, tensor):
        """A strided tensor on the CPU as .npy: bfloat16 and narrower floats as float32."""
        if tensor.dtype not in _CODES:
            tensor = tensor.to(torch.complex64 if tensor.dtype.is_complex else torch.float32)
        tensor = tensor.resolve_conj().resolve_neg().contiguous()
        shape = "".join(f"{size}, " for size in tensor.shape)
        if tensor.dim() > 1:
            shape = shape[:-2]
        head = f"{{'descr': '{_CODES[tensor.dtype]}', 'fortran_order': False, 'shape': ({shape.rstrip() if tensor.dim() == 1 else shape}), }}"
        head += " " * (-(len(head) + 11) % _ALIGNMENT) + "\n"
        size = tensor.numel() * tensor.element_size()
        # Without numpy, which may not be there.
        elements = (ctypes.c_char * size).from_address(tensor.data_ptr()) if size else b""
        self.add(name, b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little"), head.encode(), memoryview(elements))

    def finish(self):
        self._zip.close()
        os.replace(self._partial, self._path)

    def abandon(self):
        self._zip.close()
        if os.path.exists(self._partial):
            os.remove(self._partial)
