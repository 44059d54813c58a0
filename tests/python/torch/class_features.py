"""Classes and statements as PyTorch users write them."""
import functools
import torch
import torch.nn as nn


class Slotted:
    __slots__ = ('x', 'y', '_z')

    def __init__(self, x, y=2):
        self.x, self.y = x, y

    @property
    def z(self):
        return getattr(self, '_z', 0)

    @z.setter
    def z(self, value):
        if value < 0:
            raise ValueError('negative')
        self._z = value

    @z.deleter
    def z(self):
        del self._z


s = Slotted(1)
s.z = 5
print(s.x, s.y, s.z)
del s.z
print(s.z)
for f in (lambda: setattr(s, 'w', 1), lambda: setattr(s, 'z', -1), lambda: s.nothing, lambda: s.__dict__):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)


class Child(Slotted):
    __slots__ = ('more',)


class Open(Slotted):
    pass


c = Child(3)
c.more = 1
try:
    c.less = 1
except AttributeError as e:
    print(e)
o = Open(1)
o.anything = 5
print(o.__dict__, Slotted.__slots__, hasattr(c, 'more'))


class Lazy:
    def __init__(self):
        self.made = []

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(f'no {name}')
        self.made.append(name)
        return name.upper()

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        print('deleting', name)
        super().__delattr__(name)

    def __contains__(self, x):
        return x == 1

    def __bool__(self):
        return False

    def __call__(self, *a, **k):
        return a, k

    def __len__(self):
        return 3

    def __getitem__(self, i):
        if i >= 3:
            raise IndexError(i)
        return i * 10

    def __enter__(self):
        return self

    def __exit__(self, *e):
        return e[0] is KeyError

    def __format__(self, spec):
        return f'<{spec}>'

    def __hash__(self):
        return 7

    def __eq__(self, other):
        return isinstance(other, Lazy)


z = Lazy()
print(z.alpha, z.made, 1 in z, 2 in z, bool(z), z(1, k=2), len(z), list(z), f'{z:abc}', z == Lazy(), {z: 1}[Lazy()], [*reversed([1, 2])])
with z as w:
    raise KeyError
z.tmp = 1
del z.tmp
try:
    z._private
except AttributeError as e:
    print(e)


class Registry(type):
    classes = {}

    def __new__(mcs, name, bases, ns, tag=None, **kw):
        cls = super().__new__(mcs, name, bases, ns, **kw)
        if tag:
            mcs.classes[tag] = cls
        return cls

    def __init__(cls, name, bases, ns, tag=None):
        super().__init__(name, bases, ns)
        cls.tag = tag

    def __call__(cls, *args):
        made = super().__call__(*args)
        made.was_called = True
        return made

    def __getitem__(cls, key):
        return cls.classes[key]

    def __len__(cls):
        return len(Registry.classes)

    def __iter__(cls):
        return iter(sorted(Registry.classes))

    @property
    def shout(cls):
        return cls.__name__.upper()


class Model(metaclass=Registry, tag='m'):
    kinds = ('a',)

    def __init__(self, n=1):
        self.n = n

    def __init_subclass__(cls, /, **kwargs):
        super().__init_subclass__()
        cls.kinds = cls.kinds + (cls.__name__,)

    @classmethod
    def make(cls, *a):
        return cls(*a)

    @staticmethod
    def double(x):
        return 2 * x


class Small(Model, tag='s'):
    def __init__(self):
        super().__init__(5)


print(Registry.classes, Model['s'], len(Model), list(Model), Model.shout, Small.kinds, Small().n, Small().was_called, Small.make().n, Model.double(4), Small.tag, type(Small))
try:
    class Bad(Model, nn.Module, tag='b'):
        pass
    print(Bad.__mro__[1:3])
except TypeError as e:
    print(e)


class Meta2(type):
    pass


class Other(metaclass=Meta2):
    pass


try:
    class Conflict(Model, Other):
        pass
except TypeError as e:
    print(e)
try:
    class Order(object, Model):
        pass
except TypeError as e:
    print(str(e).split('\n')[0])


def numbers(n):
    try:
        for i in range(n):
            got = yield i
            if got:
                print('got', got)
        return 'end'
    finally:
        print('closed')


g = numbers(3)
print(next(g), g.send('hi'), next(g))
try:
    next(g)
except StopIteration as e:
    print('stop', e.value)
g = numbers(5)
next(g)
g.close()


def outer():
    result = yield from numbers(2)
    yield result


print(list(outer()))


def control(n):
    try:
        if n == 0:
            raise ValueError('zero')
        if n == 1:
            return 'returned'
    except ValueError as e:
        return f'caught {e}'
    else:
        n += 10
    finally:
        print('finally', n)
    return n


print([control(i) for i in range(3)])
for i in range(3):
    for j in range(3):
        if j == 2:
            continue
        if i * j == 1:
            break
    else:
        print('no break', i)
while (k := len(z.made)) < 3:
    z.made.append(k)
print(z.made, [y for x in range(4) if (y := x * x) % 2], (first := 3) + first)
a, *b, (c1, d), e = 1, 2, 3, [4, 5], 6
*init, last = 'abc'
print(a, b, c1, d, e, init, last, [*range(2), *'ab'], {**{'x': 1}, 'y': 2}, (*[1], 2))
total = 0


def counter():
    count = 0

    def step(by=1):
        nonlocal count
        global total
        count += by
        total += by
        return count
    return step


step = counter()
step()
step(by=4)
print(step(), total)


def signature(a, /, b, *args, c=3, **kw):
    return a, b, args, c, kw


print(signature(1, 2, 3, 4, c=5, d=6), signature(1, b=2))
for bad in (lambda: signature(a=1, b=2), lambda: signature(1), lambda: signature(1, 2, b=3)):
    try:
        bad()
    except TypeError as e:
        print(e)
try:
    try:
        1 / 0
    except ZeroDivisionError as e:
        raise RuntimeError('outer') from e
except RuntimeError as e:
    print(repr(e), repr(e.__cause__), e.args)
try:
    assert 1 == 2, f'{1} is not {2}'
except AssertionError as e:
    print(e)


class MyError(ValueError):
    def __init__(self, code, message='m'):
        super().__init__(message)
        self.code = code

    def __str__(self):
        return f'[{self.code}] {super().__str__()}'


try:
    raise MyError(4)
except (KeyError, MyError) as e:
    print(e, e.code, isinstance(e, ValueError))
text = '  Hello, World  '
print(text.strip().lower().split(', '), text.title(), text.center(20, '*'), 'a-b_c'.partition('-'), 'x.y.z'.rsplit('.', 1), 'abc'.find('c'), 'aXbX'.replace('X', '', 1), 'abc'.zfill(5), '-5'.zfill(4),
      'a\tb'.expandtabs(4), 'abc'.startswith(('x', 'a')), 'ab12'.isalnum(), 'Ab'.swapcase(), '1,2,,3'.split(','), 'aab'.count('a'), 'x'.join('abc'), 'éa'.encode(), b'ab'.decode(), 'abc'[::-1],
      'a{}b{x!r:>5}'.format(1, x='q'), '%5.2f|%-5s|%05d' % (3.14159, 'ab', 42), f'{3.14159:.3f} {1e6:,.0f} {255:#x} {0.5:%} {"s":^5}|{42:<6}|{True!s:>6}', 'abc'.removeprefix('a').removesuffix('c'),
      'a b  c'.split(), 'line1\nline2'.splitlines(), 'abc'.translate(str.maketrans('ab', 'xy')), '12'.isdigit(), ' '.isspace(), 'abc'.index('b'), 'abcabc'.rfind('b'), 'tEST'.capitalize())


class Temperature:
    def __init__(self):
        self._c = 0.0

    @functools.cached_property
    def costly(self):
        print('computing')
        return 42

    c = property(lambda self: self._c, lambda self, v: setattr(self, '_c', v), doc='celsius')


t = Temperature()
t.c = 3
print(t.c, t.costly, t.costly, Temperature.c.__doc__)


class Descriptor:
    def __set_name__(self, owner, name):
        self.name = '_' + name

    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.name, 'unset')

    def __set__(self, instance, value):
        setattr(instance, self.name, value * 2)


class Uses:
    d = Descriptor()


u = Uses()
print(u.d)
u.d = 4
print(u.d, vars(u), type(Uses.d).__name__)


def repeat(times):
    def decorate(function):
        @functools.wraps(function)
        def inner(*a, **k):
            return [function(*a, **k) for _ in range(times)]
        inner.times = times
        return inner
    return decorate


@repeat(2)
def hello(name: str = 'x') -> str:
    """Says hello."""
    return 'hello ' + name


print(hello('a'), hello.__name__, hello.__doc__, hello.times, hello.__wrapped__('z'))
match {'kind': 'conv', 'size': [3, 3]}:
    case {'kind': 'linear'}:
        print('linear')
    case {'kind': 'conv', 'size': [h, w]} if h == w:
        print('square', h)
x = torch.ones(2, 2)


@torch.autocast('cpu', dtype=torch.bfloat16)
def cast(a):
    return a @ a


class Amp(torch.autocast):
    def __init__(self):
        super().__init__('cpu', dtype=torch.bfloat16)


print(cast(x).dtype, (x @ x).dtype, isinstance(torch.autocast('cpu'), torch.autocast), issubclass(torch.cuda.amp.autocast, torch.autocast), issubclass(torch.cpu.amp.autocast, torch.autocast))
with Amp():
    print((x @ x).dtype)
with torch.autocast(device_type='cpu', dtype=torch.bfloat16, enabled=False), torch.no_grad():
    print((x @ x).dtype, torch.is_autocast_cpu_enabled())
with torch.autocast('cpu', dtype=torch.bfloat16) as ac:
    print(type(ac).__name__, torch.is_autocast_cpu_enabled(), torch.get_autocast_cpu_dtype())
    with torch.autocast('cpu', enabled=False):
        print((x @ x).dtype)
scaler = torch.cuda.amp.GradScaler(enabled=False)
print(scaler.is_enabled(), scaler.scale(torch.tensor(2.0)), scaler.get_scale(), type(scaler).__name__)
