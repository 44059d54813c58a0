# SPDX-License-Identifier: Apache-2.0
from contextlib import contextmanager, suppress, nullcontext, ExitStack


class Resource:
    def __init__(self, name, swallow=False):
        self.name, self.swallow = name, swallow

    def __enter__(self):
        print('enter', self.name)
        return self

    def __exit__(self, kind, value, traceback):
        print('exit', self.name, kind.__name__ if kind else None, value)
        return self.swallow


with Resource('a') as a, Resource('b'):
    print('inside', a.name)
with Resource('c', swallow=True):
    raise ValueError('swallowed')
try:
    with Resource('d'):
        raise KeyError('passes')
except KeyError as error:
    print('caught', error)


def early():
    for i in range(3):
        with Resource(i):
            if i == 1:
                return 'returned'


print(early())
with (Resource('x') as x, Resource('y') as y):
    print(x.name + y.name)


@contextmanager
def tag(name):
    print(f'<{name}>')
    try:
        yield name.upper()
    except ZeroDivisionError:
        print('division in', name)
    finally:
        print(f'</{name}>')


with tag('p') as upper:
    print(upper)
with tag('q'):
    1 / 0
try:
    with tag('r'):
        raise IndexError('out')
except IndexError as error:
    print('outside', error)
with suppress(KeyError, IndexError):
    [][1]
print('after suppress')
with nullcontext(5) as five:
    print(five)
with ExitStack() as stack:
    for i in range(2):
        stack.enter_context(Resource(f's{i}'))
    stack.callback(print, 'callback')


@tag('decorated')
def work():
    print('working')


class Holder:
    pass


h = Holder()
with Resource('attr') as h.value:
    pass
print(h.value.name)
with Resource('tuple') as target, nullcontext((1, 2)) as (p, q):
    print(p, q, target.name)
for i in range(3):
    with suppress(ValueError):
        if i == 1:
            continue
        print(i)
try:
    with 5:
        pass
except (TypeError, AttributeError) as error:
    print(type(error).__name__)
