# SPDX-License-Identifier: Apache-2.0
import os


def rmtree(path, ignore_errors=False, onerror=None):
    try:
        for root, folders, files in os.walk(path, topdown=False):
            for name in files:
                os.remove(os.path.join(root, name))
            for name in folders:
                os.rmdir(os.path.join(root, name))
        os.rmdir(path)
    except (OSError, ValueError):
        if not ignore_errors:
            raise


def copyfile(src, dst, *, follow_symlinks=True):
    with open(src, 'rb') as source:
        data = source.read()
    with open(dst, 'wb') as target:
        target.write(data)
    return dst


def copy(src, dst, *, follow_symlinks=True):
    if os.path.isdir(dst):
        dst = os.path.join(dst, os.path.basename(src))
    return copyfile(src, dst)


copy2 = copy


def move(src, dst):
    if os.path.isdir(dst):
        dst = os.path.join(dst, os.path.basename(src))
    os.rename(src, dst)
    return dst


def which(cmd, mode=None, path=None):
    return None
