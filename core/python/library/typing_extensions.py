# SPDX-License-Identifier: Apache-2.0
from typing import *
from typing import Literal, Protocol, Final, runtime_checkable, Annotated, TypedDict, ClassVar, Type, get_type_hints, get_origin, get_args

TypeAlias = Any
Self = Any
LiteralString = str
Never = NoReturn


def override(method):
    method.__override__ = True
    return method


def deprecated(message, *, category=DeprecationWarning, stacklevel=1):
    return lambda value: value


def final(value):
    return value


def assert_never(value):
    raise AssertionError('Expected code to be unreachable, but got: ' + repr(value))


def assert_type(value, kind):
    return value


def reveal_type(value):
    return value


class _Wrapper:
    def __class_getitem__(cls, item):
        return item


class NotRequired(_Wrapper):
    pass


class Required(_Wrapper):
    pass


class Unpack(_Wrapper):
    pass


class ReadOnly(_Wrapper):
    pass


class ParamSpec:
    def __init__(self, name, **kwargs):
        self.__name__ = name
        self.args = self.kwargs = Any


class TypeVarTuple:
    def __init__(self, name, **kwargs):
        self.__name__ = name
