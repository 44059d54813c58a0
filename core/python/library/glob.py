# SPDX-License-Identifier: Apache-2.0
import os
from _file_tools import find


def glob(pathname, *, recursive=False):
    pathname = str(pathname)
    if recursive and (pathname == '**' or pathname.endswith('/**')):  # files too, and where it begins
        base = pathname[:-2]
        return ([base] if base else []) + find(base + '**/*', True)
    folder, name = os.path.split(pathname)
    if '\0' in folder and any(c in name for c in '*?[') and not any(c in folder for c in '*?['):
        os.listdir(folder)  # raises ValueError, as in CPython
    return find(pathname, recursive)


def iglob(pathname, *, recursive=False):
    return iter(glob(pathname, recursive=recursive))
