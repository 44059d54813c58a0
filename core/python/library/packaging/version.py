# SPDX-License-Identifier: Apache-2.0
# PEP 440.
import re

_PATTERN = re.compile(r'^\s*v?(?:(\d+)!)?(\d+(?:\.\d+)*)[-_.]?(?:(a|b|c|rc|alpha|beta|pre|preview)[-_.]?(\d*))?'
                      r'(?:(?:-(\d+))|(?:[-_.]?(post|rev|r)[-_.]?(\d*)))?(?:[-_.]?(dev)[-_.]?(\d*))?'
                      r'(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?\s*$')
_PRE = {'alpha': 'a', 'beta': 'b', 'c': 'rc', 'pre': 'rc', 'preview': 'rc'}


class InvalidVersion(ValueError):
    pass


class Version:
    def __init__(self, version):
        match = _PATTERN.match(version.lower())
        if match is None:
            raise InvalidVersion(f'Invalid version: {version!r}')
        epoch, release, pre, pre_number, post_dash, post, post_number, dev, dev_number, local = match.groups()
        self.epoch = int(epoch or 0)
        self.release = tuple(int(part) for part in release.split('.'))
        self.pre = (_PRE.get(pre, pre), int(pre_number or 0)) if pre else None
        self.post = int(post_dash or post_number or 0) if post or post_dash else None
        self.dev = int(dev_number or 0) if dev else None
        self.local = local
        trimmed = list(self.release)
        while len(trimmed) > 1 and trimmed[-1] == 0:
            trimmed.pop()
        if self.pre is not None:
            pre_key = ({'a': 1, 'b': 2, 'rc': 3}[self.pre[0]], self.pre[1])
        elif self.dev is not None and self.post is None:
            pre_key = (0, 0)
        else:
            pre_key = (4, 0)
        local_key = () if not local else tuple((1, int(part), '') if part.isdigit() else (0, 0, part) for part in re.split(r'[-_.]', local))
        self._key = (self.epoch, tuple(trimmed), pre_key, -1 if self.post is None else self.post,
                     float('inf') if self.dev is None else self.dev, local_key)

    major = property(lambda self: self.release[0])
    minor = property(lambda self: self.release[1] if len(self.release) > 1 else 0)
    micro = property(lambda self: self.release[2] if len(self.release) > 2 else 0)
    is_prerelease = property(lambda self: self.dev is not None or self.pre is not None)
    is_postrelease = property(lambda self: self.post is not None)
    is_devrelease = property(lambda self: self.dev is not None)

    @property
    def public(self):
        return str(self).split('+', 1)[0]

    @property
    def base_version(self):
        return (f'{self.epoch}!' if self.epoch else '') + '.'.join(str(part) for part in self.release)

    def __str__(self):
        out = self.base_version
        if self.pre is not None:
            out += f'{self.pre[0]}{self.pre[1]}'
        if self.post is not None:
            out += f'.post{self.post}'
        if self.dev is not None:
            out += f'.dev{self.dev}'
        if self.local:
            out += f'+{self.local}'
        return out

    def __repr__(self):
        return f"<Version('{self}')>"

    def __hash__(self):
        return hash(self._key)

    def __eq__(self, other):
        return self._key == other._key if isinstance(other, Version) else NotImplemented

    def __lt__(self, other):
        return self._key < other._key

    def __le__(self, other):
        return self._key <= other._key

    def __gt__(self, other):
        return self._key > other._key

    def __ge__(self, other):
        return self._key >= other._key


def parse(version):
    return Version(version)
