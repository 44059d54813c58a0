# SPDX-License-Identifier: Apache-2.0
import re


class LooseVersion:
    def __init__(self, vstring=None):
        self.vstring = vstring
        self.version = [int(part) if part.isdigit() else part for part in re.findall(r'\d+|[a-z]+', vstring or '')]

    def _of(self, other):
        return (LooseVersion(other) if isinstance(other, str) else other).version

    def __eq__(self, other):
        return self.version == self._of(other)

    def __lt__(self, other):
        return self.version < self._of(other)

    def __le__(self, other):
        return self.version <= self._of(other)

    def __gt__(self, other):
        return self.version > self._of(other)

    def __ge__(self, other):
        return self.version >= self._of(other)

    def __str__(self):
        return self.vstring

    def __repr__(self):
        return f"LooseVersion ('{self}')"


StrictVersion = LooseVersion
