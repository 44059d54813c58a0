// SPDX-License-Identifier: Apache-2.0
// pathlib, tempfile, shutil, glob and fnmatch, in Python.
#include "core/python/library/standard_modules.h"

namespace loupe::python {
namespace {

constexpr std::string_view kFileTools = R"py(import os


def walk(top, topdown=True):
    folders, files = [], []
    try:
        names = os.listdir(top)
    except OSError:
        return
    for name in names:
        (folders if os.path.isdir(os.path.join(top, name)) else files).append(name)
    if topdown:
        yield os.fspath(top), folders, files
    for name in folders:
        yield from walk(os.path.join(top, name), topdown)
    if not topdown:
        yield os.fspath(top), folders, files


def matches(name, pattern):
    # Where a star last began, to go on from there.
    at = star = -1
    i = j = 0
    while i < len(name):
        if j < len(pattern) and pattern[j] == '*':
            star, at = j, i
            j += 1
            continue
        step = _match_one(name[i], pattern, j) if j < len(pattern) else 0
        if step:
            i += 1
            j += step
        elif star >= 0:
            at += 1
            i, j = at, star + 1
        else:
            return False
    while j < len(pattern) and pattern[j] == '*':
        j += 1
    return j == len(pattern)


def _match_one(c, pattern, j):
    if pattern[j] == '?':
        return 1
    end = pattern.find(']', j + 2)
    if pattern[j] != '[' or end < 0:
        return 1 if pattern[j] == c else 0
    inside = pattern[j + 1:end]
    negated = inside[0] in '!^'
    if negated:
        inside = inside[1:]
    found = False
    k = 0
    while k < len(inside):
        if k + 2 < len(inside) and inside[k + 1] == '-':
            found = found or inside[k] <= c <= inside[k + 2]
            k += 3
        else:
            found = found or inside[k] == c
            k += 1
    return end + 1 - j if found != negated else 0


def find(pattern, recursive=False):
    head, tail = os.path.split(pattern)
    if not any(c in pattern for c in '*?['):
        return [pattern] if os.path.exists(pattern) else []
    if head and any(c in head for c in '*?['):
        heads = find(head, recursive)
    else:
        heads = [head]
    out = []
    for folder in heads:
        if not os.path.isdir(folder or '.'):
            continue
        if tail == '**' and recursive:
            out.extend(root for root, _, _ in walk(folder))
        elif any(c in tail for c in '*?['):
            for name in os.listdir(folder or '.'):
                if (not name.startswith('.') or tail.startswith('.')) and matches(name, tail):
                    out.append(os.path.join(folder, name))
        elif os.path.exists(os.path.join(folder, tail)):
            out.append(os.path.join(folder, tail))
    return out
)py";

constexpr std::string_view kGlob = R"py(from _file_tools import find


def glob(pathname, *, recursive=False):
    pathname = str(pathname)
    if recursive and (pathname == '**' or pathname.endswith('/**')):  # files too, and where it begins
        base = pathname[:-2]
        return ([base] if base else []) + find(base + '**/*', True)
    return find(pathname, recursive)


def iglob(pathname, *, recursive=False):
    return iter(glob(pathname, recursive=recursive))
)py";

constexpr std::string_view kFnmatch = R"py(from _file_tools import matches


def fnmatch(name, pattern):
    return matches(name, pattern)


fnmatchcase = fnmatch


def filter(names, pattern):
    return [name for name in names if matches(name, pattern)]
)py";

constexpr std::string_view kTempfile = R"py(import os
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
)py";

constexpr std::string_view kShutil = R"py(import os


def rmtree(path, ignore_errors=False, onerror=None):
    try:
        for root, folders, files in os.walk(path, topdown=False):
            for name in files:
                os.remove(os.path.join(root, name))
            for name in folders:
                os.rmdir(os.path.join(root, name))
        os.rmdir(path)
    except OSError:
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
)py";

constexpr std::string_view kPathlib = R"py(import os


class PurePath:
    def __init__(self, *parts):
        texts = [os.fspath(part) for part in parts]
        text = os.path.join(*texts) if texts else ''
        root = '/' if text.startswith('/') else ''
        self._names = [name for name in text.split('/') if name not in ('', '.')]
        self._root = root

    def __reduce__(self):
        return self.__class__, self.parts

    @property
    def _text(self):
        return self._root + '/'.join(self._names) or '.'

    @property
    def parts(self):
        return tuple(([self._root] if self._root else []) + self._names)

    @property
    def name(self):
        return self._names[-1] if self._names else ''

    @property
    def suffix(self):
        name = self.name
        dot = name.rfind('.')
        return name[dot:] if 0 < dot < len(name) - 1 else ''

    @property
    def suffixes(self):
        name = self.name
        if name.endswith('.'):
            return []
        return ['.' + part for part in name.lstrip('.').split('.')[1:]]

    @property
    def stem(self):
        suffix = self.suffix
        return self.name[:len(self.name) - len(suffix)] if suffix else self.name

    @property
    def anchor(self):
        return self._root

    @property
    def parent(self):
        return type(self)(self._root + '/'.join(self._names[:-1]))

    @property
    def parents(self):
        return tuple(type(self)(self._root + '/'.join(self._names[:i])) for i in range(len(self._names) - 1, -1, -1))

    def joinpath(self, *parts):
        return type(self)(self, *parts)

    def __truediv__(self, other):
        return type(self)(self, other)

    def __rtruediv__(self, other):
        return type(self)(other, self)

    def with_name(self, name):
        if not self.name:
            raise ValueError('%r has an empty name' % self)
        return self.parent / name

    def with_suffix(self, suffix):
        if suffix and (not suffix.startswith('.') or suffix == '.'):
            raise ValueError('Invalid suffix %r' % suffix)
        return self.with_name(self.stem + suffix)

    def with_stem(self, stem):
        return self.with_name(stem + self.suffix)

    def is_absolute(self):
        return bool(self._root)

    def relative_to(self, *other):
        base = type(self)(*other)
        n = len(base._names)
        if base._root != self._root or self._names[:n] != base._names:
            raise ValueError('%r is not in the subpath of %r OR one path is relative and the other is absolute.'
                             % (str(self), str(base)))
        return type(self)('/'.join(self._names[n:]))

    def is_relative_to(self, *other):
        try:
            self.relative_to(*other)
            return True
        except ValueError:
            return False

    def match(self, pattern):
        from _file_tools import matches
        wanted = PurePath(pattern)._names
        names = self._names[-len(wanted):]
        return len(names) == len(wanted) and all(matches(n, p) for n, p in zip(names, wanted))

    def as_posix(self):
        return self._text

    def __fspath__(self):
        return self._text

    def __str__(self):
        return self._text

    def __repr__(self):
        return '%s(%r)' % (type(self).__name__, self._text)

    def __eq__(self, other):
        return isinstance(other, PurePath) and self.parts == other.parts

    def __hash__(self):
        return hash(self.parts)

    def __lt__(self, other):
        return self.parts < other.parts

    def __le__(self, other):
        return self.parts <= other.parts

    def __gt__(self, other):
        return self.parts > other.parts

    def __ge__(self, other):
        return self.parts >= other.parts


PurePosixPath = PurePath


class Path(PurePath):
    def __new__(cls, *parts):
        return object.__new__(PosixPath if cls is Path else cls)

    @classmethod
    def cwd(cls):
        return cls(os.getcwd())

    @classmethod
    def home(cls):
        return cls(os.path.expanduser('~'))

    def exists(self):
        return os.path.exists(self._text)

    def is_file(self):
        return os.path.isfile(self._text)

    def is_dir(self):
        return os.path.isdir(self._text)

    def stat(self):
        return os.stat(self._text)

    def absolute(self):
        return type(self)(os.path.abspath(self._text))

    def resolve(self, strict=False):
        return type(self)(os.path.realpath(self._text))

    def expanduser(self):
        return type(self)(os.path.expanduser(self._text))

    def open(self, mode='r', buffering=-1, encoding=None, errors=None, newline=None):
        return open(self._text, mode)

    def read_text(self, encoding=None, errors=None):
        with open(self._text) as f:
            return f.read()

    def read_bytes(self):
        with open(self._text, 'rb') as f:
            return f.read()

    def write_text(self, data, encoding=None, errors=None, newline=None):
        with open(self._text, 'w') as f:
            return f.write(data)

    def write_bytes(self, data):
        with open(self._text, 'wb') as f:
            return f.write(data)

    def mkdir(self, mode=0o777, parents=False, exist_ok=False):
        if parents:
            os.makedirs(self._text, exist_ok=exist_ok)
        elif not (exist_ok and self.is_dir()):
            os.mkdir(self._text)

    def touch(self, mode=0o666, exist_ok=True):
        open(self._text, 'a' if exist_ok else 'x').close()

    def unlink(self, missing_ok=False):
        if not missing_ok or self.exists():
            os.remove(self._text)

    def rmdir(self):
        os.rmdir(self._text)

    def rename(self, target):
        os.rename(self._text, target)
        return type(self)(target)

    replace = rename

    def iterdir(self):
        for name in os.listdir(self._text):
            yield self / name

    def glob(self, pattern):
        from _file_tools import find
        for path in find(os.path.join(self._text, pattern), True):
            yield type(self)(path)

    def rglob(self, pattern):
        from _file_tools import matches
        for root, folders, files in os.walk(self._text):
            for name in folders + files:
                if matches(name, pattern):
                    yield type(self)(root, name)


class PosixPath(Path):
    pass
)py";

}  // namespace

std::string_view file_library_source(std::string_view module) {
    if (module == "_file_tools") return kFileTools;
    if (module == "glob") return kGlob;
    if (module == "fnmatch") return kFnmatch;
    if (module == "tempfile") return kTempfile;
    if (module == "shutil") return kShutil;
    if (module == "pathlib") return kPathlib;
    return {};
}

}  // namespace loupe::python
