# SPDX-License-Identifier: Apache-2.0
from collections import namedtuple
from typing import NamedTuple

Point = namedtuple('Point', ['x', 'y'])
Color = namedtuple('Color', 'red green blue', defaults=[0])
p = Point(1, y=2)
print(p, p.x, p[1], p == (1, 2), len(p), list(p), p + (3,), Point._fields, hash(p) == hash((1, 2)))
x, y = p
print(x, y, p._replace(x=10), p._asdict(), Point._make([5, 6]), Color(1, 2), Color._field_defaults)
print(isinstance(p, tuple), isinstance(p, Point), type(p).__name__, max(Point(1, 5), Point(2, 0)), {p: 1}[(1, 2)])
for bad in (lambda: Point(1), lambda: Point(1, 2, 3), lambda: Point(1, z=2), lambda: p.z):
    try:
        bad()
    except (TypeError, AttributeError) as error:
        print(type(error).__name__, error)
try:
    p.x = 5
except AttributeError as error:
    print('cannot set')


class Employee(NamedTuple):
    """One employee."""
    name: str
    id: int = 3
    tags: tuple = ()

    def greeting(self):
        return f'hi {self.name}'

    @property
    def upper(self):
        return self.name.upper()

    @classmethod
    def make(cls, name):
        return cls(name, len(name))


e = Employee('Guido')
print(e, e.id, e.greeting(), e.upper, Employee.make('Bob'), Employee.__doc__, e._fields, *e)


class Vec(Point):
    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __repr__(self):
        return f'Vec<{self.x},{self.y}>'


v = Vec(1, 2) + Vec(3, 4)
print(v, v.x, isinstance(v, Point), tuple(v), sorted([Vec(2, 1), Vec(1, 9)]))
points = [Point(i, i * i) for i in range(3)]
print(points, [q.y for q in points], dict(a=points[0]), f'{points[1]}', repr(points[2]))
for i, (a, b) in enumerate(points):
    print(i, a, b)
