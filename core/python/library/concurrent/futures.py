# SPDX-License-Identifier: Apache-2.0
# Work is done when it is submitted, by the one thread there is.
FIRST_COMPLETED = 'FIRST_COMPLETED'
FIRST_EXCEPTION = 'FIRST_EXCEPTION'
ALL_COMPLETED = 'ALL_COMPLETED'


class CancelledError(Exception):
    pass


class InvalidStateError(Exception):
    pass


TimeoutError = TimeoutError


class Future:
    def __init__(self):
        self._is_done = False
        self._is_cancelled = False
        self._result = None
        self._exception = None
        self._callbacks = []

    def set_result(self, result):
        if self._is_done:
            raise InvalidStateError(f'{self!r}')
        self._result = result
        self._finish()

    def set_exception(self, exception):
        self._exception = exception
        self._finish()

    def _finish(self):
        self._is_done = True
        for callback in self._callbacks:
            callback(self)

    def result(self, timeout=None):
        if self._is_cancelled:
            raise CancelledError()
        if not self._is_done:
            raise TimeoutError()
        if self._exception is not None:
            raise self._exception
        return self._result

    def exception(self, timeout=None):
        return self._exception

    def done(self):
        return self._is_done or self._is_cancelled

    def running(self):
        return False

    def cancelled(self):
        return self._is_cancelled

    def cancel(self):
        if not self._is_done:
            self._is_cancelled = True
        return self._is_cancelled

    def add_done_callback(self, callback):
        if self._is_done:
            callback(self)
        else:
            self._callbacks.append(callback)


class Executor:
    def __init__(self, max_workers=None, *args, **kwargs):
        if max_workers is not None and max_workers <= 0:
            raise ValueError('max_workers must be greater than 0')
        self._max_workers = max_workers
        self._is_shut_down = False

    def submit(self, fn, /, *args, **kwargs):
        if self._is_shut_down:
            raise RuntimeError('cannot schedule new futures after shutdown')
        future = Future()
        try:
            result = fn(*args, **kwargs)
        except Exception as error:
            future.set_exception(error)
        else:
            future.set_result(result)
        return future

    def map(self, fn, *iterables, timeout=None, chunksize=1):
        futures = [self.submit(fn, *args) for args in zip(*iterables)]
        return (future.result() for future in futures)

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._is_shut_down = True

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.shutdown()
        return False


class ThreadPoolExecutor(Executor):
    pass


class ProcessPoolExecutor(Executor):
    pass


def as_completed(fs, timeout=None):
    return iter(list(fs))


def wait(fs, timeout=None, return_when=ALL_COMPLETED):
    from collections import namedtuple
    return namedtuple('DoneAndNotDoneFutures', 'done not_done')(set(fs), set())
