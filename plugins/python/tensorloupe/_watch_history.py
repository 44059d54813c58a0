# SPDX-License-Identifier: Apache-2.0
"""What a watched training has said so far, in bounded memory, for a window that comes later; and the same as a file."""

import os

from . import _target
from ._watch_rows import line_of_row

_MOST_BYTES = 24 << 20
_MOST_TENSORS = 256  # rows of statistics, as the window keeps them
_LARGEST_FILE = 64 << 20
_STEPS = ("step", "loss", "rate", "seconds", "wait")


class History:
    """Older rows are thinned: every other step, every other sample. Of elements the last of a rank are kept."""

    def __init__(self):
        self._rows = []  # (row, bytes)
        self._bytes = 0
        self._tensors = 0

    def add(self, row, size):
        kind = row.get("kind")
        if kind == "values":
            self._drop(lambda other: other.get("kind") == "values" and other.get("rank", 0) == row.get("rank", 0))
        elif kind in ("parked", "running", "dropped"):
            return
        self._rows.append((row, size))
        self._bytes += size
        self._tensors += kind == "tensors"
        if self._tensors > _MOST_TENSORS or self._bytes > _MOST_BYTES:
            self._thin()

    def lines(self):
        return [line_of_row(row) for row, _ in self._rows]

    def _drop(self, is_dropped):
        self._rows = [each for each in self._rows if not is_dropped(each[0])]
        self._count()

    def _count(self):
        self._bytes = sum(size for _, size in self._rows)
        self._tensors = sum(row.get("kind") == "tensors" for row, _ in self._rows)

    def _thin(self):
        is_full = self._bytes > _MOST_BYTES
        kept, seen = [], {}
        for row, size in self._rows:
            kind = row.get("kind")
            key = kind, row.get("rank", 0)
            seen[key] = number = seen.get(key, -1) + 1
            if kind == "tensors" and number % 2:
                continue
            if is_full and kind == "sample" and number % 2:
                continue
            if is_full and kind == "steps" and len(row.get("step", ())) > 1:
                row = dict(row, **{name: row[name][::2] for name in _STEPS if name in row})
                size = len(line_of_row(row))
            kept.append((row, size))
        self._rows = kept
        self._count()


class WatchFile:
    """Rows one a line. When it is too large it is written anew from the history."""

    def __init__(self, path):
        self.path = path
        if os.path.exists(path):  # of the run before
            os.replace(path, _target.with_part(path, "before"))
        self._file = open(path, "wb")
        self._size = 0

    def add(self, line):
        self._file.write(line)
        self._file.flush()
        self._size += len(line)

    def is_full(self):
        return self._size > _LARGEST_FILE

    def rewrite(self, lines):
        partial = f"{self.path}.{os.getpid()}.part"
        with open(partial, "wb") as out:
            out.writelines(lines)
            self._size = out.tell()
        os.replace(partial, self.path)
        self._file.close()
        self._file = open(self.path, "ab")

    def close(self):
        self._file.close()
