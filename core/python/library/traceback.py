# SPDX-License-Identifier: Apache-2.0
import sys
import _native


def format_exception_only(exc, value=None):
    value = exc if value is None else value
    text = str(value)
    cls = type(value)
    name = cls.__qualname__ if cls.__module__ in ('__main__', 'builtins') else cls.__module__ + '.' + cls.__qualname__
    return ['%s: %s\n' % (name, text) if text else name + '\n']


def format_exception(exc, value=None, tb=None, limit=None, chain=True):
    value = exc if value is None else value
    return [line + '\n' for line in _native.format_exception(value).rstrip('\n').split('\n')]


def format_exc(limit=None, chain=True):
    value = sys.exc_info()[1]
    return 'NoneType: None\n' if value is None else ''.join(format_exception(value))


def print_exception(exc, value=None, tb=None, limit=None, file=None, chain=True):
    print(''.join(format_exception(exc, value)), end='', file=file or sys.stderr)


def print_exc(limit=None, file=None, chain=True):
    print(format_exc(), end='', file=file or sys.stderr)


def print_stack(f=None, limit=None, file=None):
    pass


def format_tb(tb, limit=None):
    return []


def extract_tb(tb, limit=None):
    return []


def print_tb(tb, limit=None, file=None):
    pass
