# SPDX-License-Identifier: Apache-2.0
# The files .npy and .npz, and tables of text.
import ast
import struct
import zlib
import torch
from numpy._array import array, dtype as _dtype, ndarray, _tensor_of

_MAGIC = b'\x93NUMPY'


def _array_of(data):
    if data[:6] != _MAGIC:
        raise ValueError('Cannot load file containing pickled data when allow_pickle=False')
    wide = data[6] >= 2
    size = struct.unpack('<I' if wide else '<H', data[8:12 if wide else 10])[0]
    start = 12 if wide else 10
    header = ast.literal_eval(data[start:start + size].decode('latin1').strip())
    if header['descr'][0] == '>':
        raise ValueError('big-endian arrays are not available here')
    if '|O' in header['descr']:
        raise ValueError('Object arrays cannot be loaded when allow_pickle=False')
    if header['descr'][1:2] in ('S', 'U'):
        return _texts_of(data[start + size:], header)
    kind = _dtype(header['descr'])
    body = data[start + size:]
    shape = header['shape']
    count = 1
    for each in shape:
        count *= each
    if len(body) < count * kind.itemsize:
        raise ValueError(f'cannot reshape array of size {len(body) // kind.itemsize} into shape {shape}')
    flat = torch.frombuffer(body[:count * kind.itemsize], dtype=kind._torch) if count else torch.zeros(0, dtype=kind._torch)
    if header['fortran_order']:
        return ndarray._of(flat.reshape(tuple(reversed(shape))).permute(tuple(range(len(shape)))[::-1]).contiguous())
    return ndarray._of(flat.reshape(shape))


def _texts_of(body, header):
    """Texts are no arrays here: a text, or a list of them."""
    width = int(header['descr'][2:]) * (4 if header['descr'][1] == 'U' else 1)
    count = 1
    for each in header['shape']:
        count *= each
    parts = [body[i * width:(i + 1) * width] for i in range(count)]
    if header['descr'][1] == 'U':
        parts = [''.join(chr(code) for code in struct.unpack(f'<{width // 4}I', part) if code) for part in parts]
    else:
        parts = [part.rstrip(b'\x00') for part in parts]
    return parts if header['shape'] else parts[0]


class NpzFile:
    def __init__(self, data):
        self._data = data
        self._entries = {}
        end = data.rfind(b'PK\x05\x06')
        if end < 0:
            raise ValueError('File is not a zip file')
        count, _, at = struct.unpack('<HII', data[end + 10:end + 20])
        for _ in range(count):
            method, packed = struct.unpack('<H', data[at + 10:at + 12])[0], struct.unpack('<I', data[at + 20:at + 24])[0]
            name_size, extra_size, comment_size = struct.unpack('<HHH', data[at + 28:at + 34])
            offset = struct.unpack('<I', data[at + 42:at + 46])[0]
            name = data[at + 46:at + 46 + name_size].decode('utf-8')
            self._entries[name[:-4] if name.endswith('.npy') else name] = (method, packed, offset)
            at += 46 + name_size + extra_size + comment_size
        self.files = list(self._entries)

    def __getitem__(self, key):
        if key not in self._entries:
            raise KeyError(f'{key} is not a file in the archive')
        method, packed, offset = self._entries[key]
        name_size, extra_size = struct.unpack('<HH', self._data[offset + 26:offset + 30])
        start = offset + 30 + name_size + extra_size
        body = self._data[start:start + packed]
        return _array_of(zlib.decompress(body, -15) if method == 8 else body)

    def __contains__(self, key):
        return key in self._entries

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def keys(self):
        return list(self.files)

    def values(self):
        return [self[key] for key in self.files]

    def items(self):
        return [(key, self[key]) for key in self.files]

    def get(self, key, default=None):
        return self[key] if key in self else default

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding='ASCII'):
    if hasattr(file, 'read'):
        data = file.read()
    else:
        with open(file, 'rb') as stream:
            data = stream.read()
    return NpzFile(data) if data[:2] == b'PK' else _array_of(data)


def _bytes_of(value):
    value = array(value, copy=False)
    header = repr({'descr': value.dtype.str, 'fortran_order': False, 'shape': value.shape})
    header = header + ' ' * (63 - (10 + len(header)) % 64) + '\n'
    return _MAGIC + b'\x01\x00' + struct.pack('<H', len(header)) + header.encode('latin1') + value.tobytes()


def _write(file, data, suffix):
    if hasattr(file, 'write'):
        file.write(data)
        return
    path = str(file)
    with open(path if path.endswith(suffix) else path + suffix, 'wb') as stream:
        stream.write(data)


def save(file, arr, allow_pickle=True, fix_imports=True):
    _write(file, _bytes_of(arr), '.npy')


def savez(file, *args, **kwds):
    named = {**{f'arr_{i}': each for i, each in enumerate(args)}, **kwds}
    body = directory = b''
    for name, value in named.items():
        data = _bytes_of(value)
        entry = (name + '.npy').encode('utf-8')
        common = struct.pack('<HHHHHIIIHH', 20, 0, 0, 0, 33, zlib.crc32(data), len(data), len(data), len(entry), 0)
        directory += b'PK\x01\x02' + struct.pack('<H', 20) + common + struct.pack('<HHHII', 0, 0, 0, 0, len(body)) + entry
        body += b'PK\x03\x04' + common + entry + data
    end = struct.pack('<HHHHIIH', 0, 0, len(named), len(named), len(directory), len(body), 0)
    _write(file, body + directory + b'PK\x05\x06' + end, '.npz')


savez_compressed = savez


def loadtxt(fname, dtype=float, comments='#', delimiter=None, skiprows=0, usecols=None, unpack=False, ndmin=0):
    if hasattr(fname, 'read'):
        lines = fname.read().split('\n')
    else:
        with open(fname) as stream:
            lines = stream.read().split('\n')
    rows = []
    for line in lines[skiprows:]:
        words = line.split(comments)[0].strip().split(delimiter)
        if words and words != ['']:
            rows.append([float(words[i]) for i in (usecols if usecols is not None else range(len(words)))])
    table = array(rows, dtype=dtype).squeeze()
    return table.T if unpack else table


def savetxt(fname, X, fmt='%.18e', delimiter=' ', newline='\n', header='', footer='', comments='# '):
    rows = array(X).tolist()
    text = ''.join(delimiter.join(fmt % value for value in (row if isinstance(row, list) else [row])) + newline for row in rows)
    with open(fname, 'w') as stream:
        stream.write((comments + header + newline if header else '') + text)
