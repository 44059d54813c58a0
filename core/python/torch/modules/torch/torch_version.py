# SPDX-License-Identifier: Apache-2.0
# torch.__version__: a text that is compared as a version, with texts and tuples alike.


def _parsed(value):
    from packaging.version import Version
    if isinstance(value, Version):
        return value
    if isinstance(value, (tuple, list)):
        value = '.'.join(str(part) for part in value)
    return Version(str(value))


class TorchVersion(str):
    def _compared(self, other, operation):
        from packaging.version import InvalidVersion
        try:
            return operation(_parsed(self), _parsed(other))
        except InvalidVersion:
            return operation(str(self), other)

    def __lt__(self, other):
        return self._compared(other, lambda a, b: a < b)

    def __le__(self, other):
        return self._compared(other, lambda a, b: a <= b)

    def __gt__(self, other):
        return self._compared(other, lambda a, b: a > b)

    def __ge__(self, other):
        return self._compared(other, lambda a, b: a >= b)

    def __eq__(self, other):
        return self._compared(other, lambda a, b: a == b)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(str(self))
