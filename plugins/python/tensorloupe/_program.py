# SPDX-License-Identifier: Apache-2.0
"""Finds Tensorloupe's window on this machine and starts it."""

import os
import shutil
import subprocess


def find(name="tensorloupe"):
    """TENSORLOUPE, when it is set, is the program; else it is looked for in PATH."""
    given = os.environ.get("TENSORLOUPE")
    if given:
        return given
    found = shutil.which(name)
    if found is None:
        raise RuntimeError(f"{name} is not in PATH: install Tensorloupe, or say where it is in TENSORLOUPE")
    return found


def open_window(*arguments, wait=False):
    """Starts the window; it goes on when this program ends. wait: until it is closed."""
    window = subprocess.Popen([find(), *map(os.fspath, arguments)], start_new_session=not wait)
    if wait:
        window.wait()
    return window
