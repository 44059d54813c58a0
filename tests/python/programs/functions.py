# SPDX-License-Identifier: Apache-2.0
def f(a, b=2, *args, c, d=4, **kwargs):
    return a, b, args, c, d, kwargs


print(f(1, c=3), f(1, 5, 6, 7, c=8, z=9), f(*[1, 2, 3], **{'c': 4, 'q': 5}), f(c=1, a=2))


def positional(a, b, /, c, *, d):
    return a + b + c + d


print(positional(1, 2, 3, d=4), positional(1, 2, c=3, d=4))
for bad in (lambda: f(), lambda: f(1), lambda: positional(1, 2, 3, 4), lambda: positional(a=1, b=2, c=3, d=4),
            lambda: f(1, a=2, c=3), lambda: positional(1, 2, 3, d=4, e=5), lambda: (lambda x: x)(), lambda: (lambda: 0)(1, 2)):
    try:
        bad()
    except TypeError as error:
        print(error)


def counter(start=0):
    count = start

    def increment(by=1):
        nonlocal count
        count += by
        return count

    return increment


one, ten = counter(), counter(10)
print(one(), one(), ten(5), one())
adders = [lambda x, n=n: x + n for n in range(3)]
late = [lambda: n for n in range(3)]
print([g(10) for g in adders], [g() for g in late])


def append_to(item, target=[]):
    target.append(item)
    return target


print(append_to(1), append_to(2), append_to(3, []))


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print([fib(i) for i in range(12)])
total = 0


def add(n):
    global total
    total += n


add(5); add(6)
print(total)


def compose(*functions):
    def inner(x):
        for function in reversed(functions):
            x = function(x)
        return x
    return inner


print(compose(lambda x: x + 1, lambda x: x * 2)(5), (lambda *a, **k: (a, k))(1, b=2))


def doc(x: int, y: 'str' = 'a') -> None:
    """Says something."""


print(doc.__name__, doc.__doc__, doc.__defaults__, doc(1), f.__qualname__, counter().__qualname__)


def trace(function):
    def wrapper(*args, **kwargs):
        result = function(*args, **kwargs)
        print(function.__name__, args, kwargs, '->', result)
        return result
    return wrapper


def repeat(times):
    def decorator(function):
        def wrapper(*args):
            return [function(*args) for _ in range(times)]
        return wrapper
    return decorator


@trace
@repeat(times=3)
def square(x):
    return x * x


square(4)
doc.attribute = 'set'
print(doc.attribute, callable(doc), callable(3), type(doc).__name__, type(len).__name__)


def outer():
    x = 'outer'

    def middle():
        def inner():
            return x
        return inner
    x = 'changed'
    return middle()()


print(outer())


def unpack(first, *rest):
    return first, rest


print(unpack(*'abc'), unpack(*range(2), *[5]), [*unpack(1)], {**{'a': 1}, **{'b': 2}})
try:
    def local():
        print(later)
        later = 1
    local()
except UnboundLocalError as error:
    print(error)
