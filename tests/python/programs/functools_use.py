# SPDX-License-Identifier: Apache-2.0
from functools import partial, reduce, lru_cache, wraps, cached_property, total_ordering, cache, cmp_to_key, singledispatch
import operator


def power(base, exponent=2, *, offset=0):
    return base ** exponent + offset


cube = partial(power, exponent=3)
print(cube(2), cube(2, offset=1), partial(power, 2)(5), partial(cube, offset=10)(1), cube.keywords, cube.args, cube.func is power)
print(reduce(operator.add, [1, 2, 3]), reduce(lambda a, b: a * b, range(1, 6), 10), reduce(max, [3, 9, 2]))
try:
    reduce(operator.add, [])
except TypeError as error:
    print(error)
calls = []


@lru_cache(maxsize=None)
def fib(n):
    calls.append(n)
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(30), len(calls), fib.cache_info(), fib.__name__)
fib.cache_clear()
print(fib.cache_info())


@lru_cache(maxsize=2)
def slow(x):
    return x * 2


print([slow(i) for i in (1, 2, 1, 3, 2)], slow.cache_info().hits, slow.cache_info().misses)


@cache
def one(x, y=1):
    print('computing')
    return x + y


print(one(1), one(1), one(1, y=2))


def logged(prefix):
    def decorate(function):
        @wraps(function)
        def wrapper(*args, **kwargs):
            print(prefix, function.__name__)
            return function(*args, **kwargs)
        return wrapper
    return decorate


@logged('>>')
def greet(name):
    """Greets."""
    return 'hi ' + name


print(greet('x'), greet.__name__, greet.__doc__, greet.__wrapped__('y'))


class Circle:
    def __init__(self, r):
        self.r = r

    @cached_property
    def area(self):
        print('area')
        return self.r ** 2 * 3


c = Circle(2)
print(c.area, c.area, 'area' in c.__dict__)


@total_ordering
class Version:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return self.n == other.n

    def __lt__(self, other):
        return self.n < other.n


print(Version(1) <= Version(1), Version(2) > Version(1), Version(1) >= Version(2))
print(sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)))


@singledispatch
def show(x):
    return 'any'


@show.register(int)
def _(x):
    return 'int'


@show.register(list)
def _(x):
    return 'list'


print(show(1), show([]), show('s'), show(True))
print(operator.itemgetter(1)([5, 6]), operator.itemgetter('a', 'b')({'a': 1, 'b': 2}), operator.attrgetter('r')(c), operator.methodcaller('upper')('x'))
print(sorted([('b', 2), ('a', 1)], key=operator.itemgetter(1)), list(map(operator.mul, [1, 2], [3, 4])))


class Button:
    def __init__(self):
        self.handlers = []

    def on(self, function):
        self.handlers.append(function)
        return function

    def click(self, *args):
        return [handler(*args) for handler in self.handlers]


b = Button()


@b.on
def first(x):
    return x + 1


b.on(partial(power, exponent=2))
b.on(str)
print(b.click(5))
