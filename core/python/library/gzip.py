# SPDX-License-Identifier: Apache-2.0
import io
import zlib

_open_file = open


class BadGzipFile(OSError):
    pass


def compress(data, compresslevel=9, *, mtime=None):
    return zlib.compress(data, compresslevel, 31)


def decompress(data):
    out = []
    data = bytes(data)
    while data:
        if data[:2] != b'\x1f\x8b':
            raise BadGzipFile(f'Not a gzipped file ({data[:2]!r})')
        part, data = zlib._decompress_first(data, 31)
        out.append(part)
        data = data.lstrip(b'\x00')
    return b''.join(out)


class GzipFile:
    """Reads all when it is opened; writes all when it is closed."""

    def __init__(self, filename=None, mode='rb', compresslevel=9, fileobj=None, mtime=None):
        self.mode = mode
        self.name = filename
        self.closed = False
        self._level = compresslevel
        self._file = fileobj
        if 'r' not in mode:
            self._buffer = io.BytesIO()
            return
        if fileobj is not None:
            data = fileobj.read()
        else:
            with _open_file(filename, 'rb') as file:
                data = file.read()
        self._buffer = io.BytesIO(decompress(data))

    def __getattr__(self, name):
        return getattr(self._buffer, name)

    def __iter__(self):
        return iter(self._buffer)

    def close(self):
        if self.closed:
            return
        self.closed = True
        if 'r' in self.mode:
            return
        data = compress(self._buffer.getvalue(), self._level)
        if self._file is not None:
            self._file.write(data)
        else:
            with _open_file(self.name, self.mode.rstrip('b') + 'b') as file:
                file.write(data)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def _opened(filename, mode='rb', compresslevel=9, encoding=None, errors=None, newline=None):
    is_path = isinstance(filename, str) or hasattr(filename, '__fspath__')
    binary = mode.replace('t', '')
    file = GzipFile(filename if is_path else None, binary, compresslevel, None if is_path else filename)
    return io.StringIO(file.read().decode(encoding or 'utf-8')) if 't' in mode and 'r' in mode else file


open = _opened
