# SPDX-License-Identifier: Apache-2.0
_missing = object()


class Token:
    MISSING = _missing

    def __init__(self, var, old_value):
        self.var = var
        self.old_value = old_value


class ContextVar:
    def __init__(self, name, *, default=_missing):
        self.name = name
        self._default = default
        self._value = _missing

    def get(self, *default):
        if self._value is not _missing:
            return self._value
        if default:
            return default[0]
        if self._default is _missing:
            raise LookupError(self)
        return self._default

    def set(self, value):
        token = Token(self, self._value)
        self._value = value
        return token

    def reset(self, token):
        self._value = token.old_value
