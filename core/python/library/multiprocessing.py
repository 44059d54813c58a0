# SPDX-License-Identifier: Apache-2.0
# There is one process: what another would do is done when it is started.
from threading import Condition, Event, Lock, RLock, Semaphore, Thread
from queue import Queue
import queue as _queue

JoinableQueue = SimpleQueue = Queue


class Process(Thread):
    exitcode = 0
    pid = 1


def cpu_count():
    return 1


def current_process():
    return Process(name='MainProcess')


def get_context(method=None):
    import multiprocessing
    return multiprocessing


def set_start_method(method, force=False):
    pass


def get_start_method(allow_none=False):
    return 'fork'


def freeze_support():
    pass


class _Result:
    def __init__(self, value):
        self._value = value

    def get(self, timeout=None):
        return self._value

    def ready(self):
        return True

    def wait(self, timeout=None):
        pass


class Pool:
    def __init__(self, processes=None, initializer=None, initargs=(), maxtasksperchild=None):
        if initializer is not None:
            initializer(*initargs)

    def map(self, func, iterable, chunksize=None):
        return [func(item) for item in iterable]

    def starmap(self, func, iterable, chunksize=None):
        return [func(*item) for item in iterable]

    def imap(self, func, iterable, chunksize=1):
        return (func(item) for item in iterable)

    imap_unordered = imap

    def apply(self, func, args=(), kwds={}):
        return func(*args, **kwds)

    def apply_async(self, func, args=(), kwds={}, callback=None, error_callback=None):
        value = func(*args, **kwds)
        if callback is not None:
            callback(value)
        return _Result(value)

    def map_async(self, func, iterable, chunksize=None, callback=None, error_callback=None):
        return _Result(self.map(func, iterable))

    def close(self):
        pass

    terminate = join = close

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False


class Value:
    def __init__(self, typecode, value=0, lock=True):
        self.value = value

    def get_lock(self):
        return RLock()
