# SPDX-License-Identifier: Apache-2.0
from enum import Enum


class StrEnum(str, Enum):
    """A text that compares without regard to case, '-' and '_'."""

    @classmethod
    def from_str(cls, value, source='key'):
        for each in cls:
            if source in ('key', 'any') and each.name.lower() == value.replace('-', '_').lower():
                return each
            if source in ('value', 'any') and each.value.lower() == value.lower():
                return each
        raise ValueError(f'Invalid match: expected one of {[each.name for each in cls]}, but got {value}.')

    @classmethod
    def try_from_str(cls, value, source='key'):
        try:
            return cls.from_str(value, source)
        except ValueError:
            return None

    def __eq__(self, other):
        if isinstance(other, Enum):
            other = other.value
        return self.value.lower() == str(other).lower()

    def __hash__(self):
        return hash(self.value.lower())
