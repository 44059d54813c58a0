# SPDX-License-Identifier: Apache-2.0
"""Where a recording goes: made absolute when it begins, one file a rank and a process."""

import os
import stat


def resolved(path):
    """The absolute path of the file that `path` is or will be, of a link what it leads to.

    Raises OSError, one line, for what cannot be such a file.
    """
    path = os.path.realpath(os.fspath(path))
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(f"tensorloupe.record: {path} is a folder")
    if mode is not None and not stat.S_ISREG(mode):
        raise OSError(f"tensorloupe.record: {path} is no regular file")
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"tensorloupe.record: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"tensorloupe.record: {folder} cannot be written")
    return path


def rank():
    """Of torch.distributed, or as torchrun says it."""
    import torch.distributed as distributed

    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank()
    given = os.environ.get("RANK", "")
    return int(given) if given.isdigit() and "LOCAL_RANK" in os.environ else 0


def with_part(path, part):
    base, extension = os.path.splitext(path)
    return f"{base}.{part}{extension}"
