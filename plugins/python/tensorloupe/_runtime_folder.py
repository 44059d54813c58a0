# SPDX-License-Identifier: Apache-2.0
"""The private folder where programs of this user that are watched can be met: a socket each, no port of the network."""

import os
import stat
import tempfile

_LONGEST = 100  # bytes of a socket's path; the system's limit is 108, or 104


def _candidates():
    given = os.environ.get("XDG_RUNTIME_DIR")
    if given and os.path.isabs(given):
        yield os.path.join(given, "tensorloupe")
    yield os.path.join(tempfile.gettempdir(), f"tensorloupe-{os.getuid()}")
    yield f"/tmp/tensorloupe-{os.getuid()}"


def _is_private(folder):
    found = os.lstat(folder)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) & 0o077 == 0


def runtime_folder():
    """Made where it is not there. Raises OSError where none can be had that is this user's alone."""
    failure = OSError("no folder for sockets")
    for folder in _candidates():
        if len(os.fsencode(folder)) + 32 > _LONGEST:
            continue
        try:
            os.makedirs(folder, 0o700, exist_ok=True)
            if _is_private(folder):
                return folder
            failure = PermissionError(f"{folder} is not this user's alone")
        except OSError as error:
            failure = error
    raise failure
