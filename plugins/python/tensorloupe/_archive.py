# SPDX-License-Identifier: Apache-2.0
"""Writes the ZIP archive that a .loupe file is; core/record/recording_file.h says what stands in it."""

import ctypes
import itertools
import os
import zipfile

import torch

_ALIGNMENT = 64
_PIECE = 1 << 20  # elements
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


def _new_file(path):
    """In its folder alone: not through a link that another program may have put there."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        number = os.open(path, flags, 0o666)
    except FileExistsError:  # of a process that was killed
        os.remove(path)
        number = os.open(path, flags, 0o666)
    return os.fdopen(number, "w+b")


class Archive:
    """The file appears under its name when it is whole, in finish()."""

    def __init__(self, path):
        self._path = path
        self._partial = f"{path}.{os.getpid()}.part"
        self._file = _new_file(self._partial)
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_STORED, allowZip64=True)

    def add(self, name, content):
        self._add(name, len(content), (content,))

    def _add(self, name, size, parts):
        """An entry of parts of bytes one behind the other; it begins at a multiple of 64 bytes."""
        info = zipfile.ZipInfo(name)
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
        dtype = tensor.dtype
        if dtype not in _CODES:
            dtype = torch.complex64 if dtype.is_complex else torch.float32
        shape = "".join(f"{size}, " for size in tensor.shape)
        if tensor.dim() > 1:
            shape = shape[:-2]
        head = f"{{'descr': '{_CODES[dtype]}', 'fortran_order': False, 'shape': ({shape.rstrip() if tensor.dim() == 1 else shape}), }}"
        head += " " * (-(len(head) + 11) % _ALIGNMENT) + "\n"
        head = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode()
        size = tensor.numel() * torch.empty((), dtype=dtype).element_size()
        self._add(name, len(head) + size, itertools.chain((head,), _bytes(tensor, dtype)))

    def finish(self):
        self._zip.close()
        self._file.close()
        os.replace(self._partial, self._path)

    def abandon(self):
        """Nothing of it stays; raises no OSError."""
        try:
            # Not the ZIP's end: where the disk is full it cannot be written. Its own __del__ must not try either.
            self._zip.fp = None
            self._file.close()
        except OSError:
            pass
        finally:
            try:
                os.remove(self._partial)
            except OSError:
                pass


def _bytes(tensor, dtype):
    """Its elements in order, in pieces: a view that repeats itself is much larger than its memory."""
    if tensor.numel() > _PIECE and tensor.dim() > 0 and not tensor.is_contiguous():
        for part in tensor:
            yield from _bytes(part, dtype)
        return
    tensor = tensor.to(dtype).resolve_conj().resolve_neg().contiguous()
    size = tensor.numel() * tensor.element_size()
    if size:
        # Without numpy, which may not be there.
        yield memoryview((ctypes.c_char * size).from_address(tensor.data_ptr()))
