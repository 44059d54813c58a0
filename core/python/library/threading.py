# SPDX-License-Identifier: Apache-2.0
# There is one thread: what another would do is done when it is started.
class Thread:
    _count = 0

    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, *, daemon=None):
        Thread._count += 1
        self._target = target
        self._args = args
        self._kwargs = kwargs or {}
        self.name = name or f'Thread-{Thread._count}'
        self.daemon = bool(daemon)
        self.ident = None
        self._is_started = False

    def start(self):
        if self._is_started:
            raise RuntimeError('threads can only be started once')
        self._is_started = True
        self.ident = id(self)
        before = _current[0]
        _current[0] = self
        try:
            self.run()
        finally:
            _current[0] = before

    def run(self):
        if self._target is not None:
            self._target(*self._args, **self._kwargs)

    def join(self, timeout=None):
        if not self._is_started:
            raise RuntimeError('cannot join thread before it is started')

    def is_alive(self):
        return False

    def __repr__(self):
        state = 'stopped' if self._is_started else 'initial'
        return f'<{type(self).__name__}({self.name}, {state})>'


class _MainThread(Thread):
    def __init__(self):
        super().__init__(name='MainThread')
        Thread._count = 0
        self._is_started = True
        self.ident = 1


_current = [_MainThread()]
_main = _current[0]


def current_thread():
    return _current[0]


def main_thread():
    return _main


def get_ident():
    return _current[0].ident


get_native_id = get_ident


def active_count():
    return 1


def enumerate():
    return [_current[0]]


class Lock:
    def __init__(self):
        self._is_held = False

    def acquire(self, blocking=True, timeout=-1):
        if self._is_held:
            if blocking and timeout < 0:
                raise RuntimeError('deadlock: the lock is held by the only thread')
            return False
        self._is_held = True
        return True

    def release(self):
        if not self._is_held:
            raise RuntimeError('release unlocked lock')
        self._is_held = False

    def locked(self):
        return self._is_held

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *exception):
        self.release()


class RLock:
    def __init__(self):
        self._count = 0

    def acquire(self, blocking=True, timeout=-1):
        self._count += 1
        return True

    def release(self):
        if self._count == 0:
            raise RuntimeError('cannot release un-acquired lock')
        self._count -= 1

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *exception):
        self.release()


class Semaphore:
    def __init__(self, value=1):
        if value < 0:
            raise ValueError('semaphore initial value must be >= 0')
        self._value = value

    def acquire(self, blocking=True, timeout=None):
        if self._value == 0:
            if blocking and timeout is None:
                raise RuntimeError('deadlock: the only thread waits')
            return False
        self._value -= 1
        return True

    def release(self, n=1):
        self._value += n

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *exception):
        self.release()


BoundedSemaphore = Semaphore


class Event:
    def __init__(self):
        self._flag = False

    def is_set(self):
        return self._flag

    def set(self):
        self._flag = True

    def clear(self):
        self._flag = False

    def wait(self, timeout=None):
        if not self._flag and timeout is None:
            raise RuntimeError('deadlock: the only thread waits')
        return self._flag


class Condition:
    def __init__(self, lock=None):
        self._lock = lock or RLock()
        self.acquire = self._lock.acquire
        self.release = self._lock.release

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *exception):
        self.release()

    def wait(self, timeout=None):
        return timeout is None

    def wait_for(self, predicate, timeout=None):
        return predicate()

    def notify(self, n=1):
        pass

    def notify_all(self):
        pass


class local:
    pass


class Timer(Thread):
    def __init__(self, interval, function, args=None, kwargs=None):
        super().__init__(target=function, args=args or (), kwargs=kwargs)
        self.interval = interval

    def cancel(self):
        self._target = None
