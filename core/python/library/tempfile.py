# SPDX-License-Identifier: Apache-2.0
import os
import random as _random
import time as _time

_state = {'next': 0}


def gettempdir():
    return os._temporary_folder()


def _free_name(suffix, prefix, dir):
    while True:
        _state['next'] += 1
        name = '%s%d_%x_%d%s' % (prefix or 'tmp', os.getpid(), int(_time.time() * 1000), _state['next'], suffix or '')
        path = os.path.join(dir or gettempdir(), name)
        if not os.path.exists(path):
            return path


def mkdtemp(suffix=None, prefix=None, dir=None):
    path = _free_name(suffix, prefix, dir)
    os.mkdir(path)
    return path


def mktemp(suffix='', prefix='tmp', dir=None):
    return _free_name(suffix, prefix, dir)


class TemporaryDirectory:
    def __init__(self, suffix=None, prefix=None, dir=None, ignore_cleanup_errors=False):
        self.name = mkdtemp(suffix, prefix, dir)

    def __enter__(self):
        return self.name

    def __exit__(self, *details):
        self.cleanup()

    def cleanup(self):
        import shutil
        if os.path.exists(self.name):
            shutil.rmtree(self.name)


class _NamedFile:
    def __init__(self, file, delete):
        self.file = file
        self.name = file.name
        self.delete = delete

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __enter__(self):
        return self

    def __exit__(self, *details):
        self.close()

    def __iter__(self):
        return iter(self.file)

    def close(self):
        if not self.file.closed:
            self.file.close()
            if self.delete and os.path.exists(self.name):
                os.remove(self.name)


def NamedTemporaryFile(mode='w+b', buffering=-1, encoding=None, newline=None, suffix=None, prefix=None, dir=None, delete=True):
    return _NamedFile(open(_free_name(suffix, prefix, dir), mode), delete)


def TemporaryFile(mode='w+b', *args, **kwargs):
    return NamedTemporaryFile(mode)
