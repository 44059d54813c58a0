import threading
import weakref
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor, as_completed

out = []
lock = threading.Lock()


def work(n, scale=1):
    with lock:
        out.append(n * scale)
    return n * n


threads = [threading.Thread(target=work, args=(i,), kwargs={'scale': 2}) for i in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(out, threading.current_thread().name, threads[0].is_alive())
with ThreadPoolExecutor(max_workers=2) as pool:
    print(list(pool.map(work, range(4))))
    futures = {pool.submit(work, i): i for i in range(3)}
    print(sorted(future.result() for future in as_completed(futures)))
    failed = pool.submit(lambda: 1 / 0)
    print(type(failed.exception()).__name__, failed.done())
event = threading.Event()
event.set()
print(event.is_set(), event.wait(0.1), lock.locked())


class Thing:
    def __init__(self, name):
        self.name = name

    def hello(self):
        return 'hello ' + self.name


thing = Thing('a')
ref = weakref.ref(thing)
method = weakref.WeakMethod(thing.hello)
proxy = weakref.proxy(thing)
table = weakref.WeakValueDictionary({'x': thing})
keys = weakref.WeakKeyDictionary()
keys[thing] = 1
things = weakref.WeakSet([thing])
print(ref() is thing, method()(), proxy.name, len(table), len(keys), len(things), table['x'].name)
del thing
print(ref(), method(), len(table), len(keys), len(things))
try:
    proxy.name
except ReferenceError as e:
    print(e)
Point = namedtuple('Point', 'x y z')
Point.__new__.__defaults__ = (None,) * 3
print(Point(), Point(1), Point(1, z=2), Point.__new__.__defaults__)
