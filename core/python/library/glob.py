# SPDX-License-Identifier: Apache-2.0
from _file_tools import find


def glob(pathname, *, recursive=False):
    pathname = str(pathname)
    if recursive and (pathname == '**' or pathname.endswith('/**')):  # files too, and where it begins
        base = pathname[:-2]
        return ([base] if base else []) + find(base + '**/*', True)
    return find(pathname, recursive)


def iglob(pathname, *, recursive=False):
    return iter(glob(pathname, recursive=recursive))
