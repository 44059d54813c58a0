# SPDX-License-Identifier: Apache-2.0
# There is one thread that computes: what follows a future runs when it is waited for.
class Future:
    def __init__(self, *, devices=None):
        self._value = None
        self._error = None
        self._is_done = False
        self._work = None
        self._callbacks = []

    def __class_getitem__(cls, item):
        return cls

    def done(self):
        return self._is_done or (self._work is not None and self._work())

    def _finish(self):
        if self._is_done:
            return
        if self._run is None:
            raise RuntimeError("wait() on a future that nothing completes")
        try:
            self._value = self._run()
        except Exception as error:
            self._error = error
        self._complete()

    _run = None

    def _complete(self):
        self._is_done = True
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback(self)

    def wait(self):
        self._finish()
        if self._error is not None:
            raise self._error
        return self._value

    def value(self):
        if not self._is_done:
            raise RuntimeError("value() can only be called after the future is completed")
        return self.wait()

    def then(self, callback):
        out = Future()

        def run():
            self._finish()
            return callback(self)
        out._run = run
        return out

    def add_done_callback(self, callback):
        if self._is_done:
            callback(self)
        else:
            self._callbacks.append(callback)

    def set_result(self, result):
        self._value = result
        self._complete()

    def set_exception(self, error):
        self._error = error
        self._complete()


def _of_work(work):
    out = Future()

    def run():
        work.wait()
        return work.result()
    out._run = run
    out._work = work.is_completed
    return out


def collect_all(futures):
    out = Future()

    def run():
        for each in futures:
            each._finish()
        return futures
    out._run = run
    return out


def wait_all(futures):
    return [each.wait() for each in futures]
