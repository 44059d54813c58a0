# SPDX-License-Identifier: Apache-2.0
import sys
from functools import wraps


class _GeneratorContextManager:
    def __init__(self, generator, name):
        self.generator = generator
        self.name = name

    def __enter__(self):
        try:
            return next(self.generator)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, kind, value, traceback):
        if kind is None:
            try:
                next(self.generator)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            self.generator.throw(value)
        except StopIteration as stop:
            return stop is not value
        except BaseException as error:
            if error is not value:
                raise
            return False
        raise RuntimeError("generator didn't stop after throw()")

    def __call__(self, function):
        @wraps(function)
        def inner(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return inner


def contextmanager(function):
    @wraps(function)
    def helper(*args, **kwargs):
        return _GeneratorContextManager(function(*args, **kwargs), function.__name__)
    return helper


class ContextDecorator:
    def __call__(self, function):
        @wraps(function)
        def inner(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        return inner


class suppress:
    def __init__(self, *exceptions):
        self.exceptions = exceptions

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return kind is not None and issubclass(kind, self.exceptions)


class nullcontext:
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *details):
        return None


class redirect_stdout:
    _name = 'stdout'

    def __init__(self, new_target):
        self._new = new_target
        self._old = []

    def __enter__(self):
        self._old.append(getattr(sys, self._name))
        setattr(sys, self._name, self._new)
        return self._new

    def __exit__(self, *details):
        setattr(sys, self._name, self._old.pop())


class redirect_stderr(redirect_stdout):
    _name = 'stderr'


class AbstractContextManager:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return None


class closing:
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *details):
        self.thing.close()


class ExitStack:
    def __init__(self):
        self._callbacks = []

    def enter_context(self, manager):
        value = manager.__enter__()
        self._callbacks.append(manager.__exit__)
        return value

    def callback(self, function, *args, **kwargs):
        def run(*details):
            function(*args, **kwargs)
        self._callbacks.append(run)
        return function

    def close(self):
        self.__exit__(None, None, None)

    def __enter__(self):
        return self

    def __exit__(self, *details):
        swallowed = False
        while self._callbacks:
            if self._callbacks.pop()(*details):
                swallowed = True
                details = (None, None, None)
        return swallowed
