# SPDX-License-Identifier: Apache-2.0
import os


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
        try:
            os.remove(self._text)
        except FileNotFoundError:
            if not missing_ok:
                raise

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
        if not self.is_dir():
            return
        for root, folders, files in os.walk(self._text):
            for name in folders + files:
                if matches(name, pattern):
                    yield type(self)(root, name)


class PosixPath(Path):
    pass
