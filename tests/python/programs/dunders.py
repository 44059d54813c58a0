# SPDX-License-Identifier: Apache-2.0
import math


class Vector:
    def __init__(self, *xs):
        self.xs = list(xs)

    def __repr__(self):
        return 'Vector(%s)' % ', '.join(map(str, self.xs))

    def __str__(self):
        return '<' + ' '.join(f'{x}' for x in self.xs) + '>'

    def __add__(self, other):
        if not isinstance(other, Vector):
            return NotImplemented
        return Vector(*[a + b for a, b in zip(self.xs, other.xs)])

    def __radd__(self, other):
        return Vector(*[other + a for a in self.xs])

    def __mul__(self, k):
        return Vector(*[a * k for a in self.xs])

    __rmul__ = __mul__

    def __matmul__(self, other):
        return sum(a * b for a, b in zip(self.xs, other.xs))

    def __neg__(self):
        return self * -1

    def __invert__(self):
        return Vector(*reversed(self.xs))

    def __abs__(self):
        return math.sqrt(self @ self)

    def __iadd__(self, other):
        self.xs = [a + b for a, b in zip(self.xs, other.xs)]
        return self

    def __eq__(self, other):
        return isinstance(other, Vector) and self.xs == other.xs

    def __lt__(self, other):
        return abs(self) < abs(other)

    def __hash__(self):
        return hash(tuple(self.xs))

    def __len__(self):
        return len(self.xs)

    def __getitem__(self, i):
        return Vector(*self.xs[i]) if isinstance(i, slice) else self.xs[i]

    def __setitem__(self, i, v):
        self.xs[i] = v

    def __delitem__(self, i):
        del self.xs[i]

    def __contains__(self, v):
        return v in self.xs

    def __iter__(self):
        return iter(self.xs)

    def __bool__(self):
        return any(self.xs)

    def __call__(self, i):
        return self.xs[i]


v, w = Vector(1, 2, 3), Vector(4, 5, 6)
print(v + w, repr(v * 2), 3 * v, v @ w, -v, ~v, abs(Vector(3, 4)), 10 + v)
print(v == Vector(1, 2, 3), v != w, v < w, v > w, sorted([w, v]), {v: 'key'}[Vector(1, 2, 3)], len({v, Vector(1, 2, 3), w}))
print(len(v), v[0], v[1:], 2 in v, list(v), bool(Vector(0, 0)), v(2), [*v], max(v), sum(v))
u = v
u += w
v[0] = 100
del v[1]
print(u, v, u is v, f'{v}', str(v), '%s %r' % (v, v))
for operation in (lambda: v + 1, lambda: v - w, lambda: v @ 3, lambda: v <= w, lambda: v['a'], lambda: v['x':]):
    try:
        operation()
    except Exception as error:
        print(type(error).__name__, error)


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n + 1


print(list(Countdown(3)), sum(Countdown(4)), [x for x in Countdown(2)], next(Countdown(1)), next(Countdown(0), 'end'))


class Sequence:
    def __getitem__(self, i):
        if i >= 3:
            raise IndexError(i)
        return i * 10


print(list(Sequence()), 20 in Sequence(), [*Sequence()])


class Proxy:
    def __init__(self):
        object.__setattr__(self, 'log', [])

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        return f'got {name}'

    def __setattr__(self, name, value):
        self.log.append((name, value))
        super().__setattr__(name, value)

    def __delattr__(self, name):
        self.log.append(name)
        object.__delattr__(self, name)


p = Proxy()
p.x = 1
print(p.x, p.anything, p.log, hasattr(p, '_y'))
del p.x
print(p.x, p.log)


class Typed:
    def __init__(self, kind):
        self.kind = kind

    def __set_name__(self, owner, name):
        self.name = '_' + name

    def __get__(self, obj, owner):
        return self if obj is None else getattr(obj, self.name, None)

    def __set__(self, obj, value):
        if not isinstance(value, self.kind):
            raise TypeError(f'{self.name[1:]} must be {self.kind.__name__}')
        setattr(obj, self.name, value)


class Point:
    x = Typed(int)
    y = Typed(int)


pt = Point()
pt.x = 5
print(pt.x, pt.y, pt.__dict__)
try:
    pt.y = 'a'
except TypeError as error:
    print(error)


class Temperature(float):
    def __new__(cls, value):
        return super().__new__(cls, value + 0.5)

    def __str__(self):
        return f'{float(self)} degrees'


t = Temperature(20)
print(t, t + 1, t > 20, isinstance(t, float))


class Index:
    def __index__(self):
        return 2

    def __int__(self):
        return 7

    def __float__(self):
        return 1.5


print([10, 20, 30][Index()], int(Index()), float(Index()), list(range(Index())), hex(Index()))
