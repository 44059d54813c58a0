# SPDX-License-Identifier: Apache-2.0
from dataclasses import dataclass, field, asdict, astuple, replace, fields, FrozenInstanceError
from typing import List, Optional, ClassVar


@dataclass
class Config:
    name: str
    layers: int = 3
    sizes: List[int] = field(default_factory=list)
    dropout: float = 0.1
    verbose: bool = field(default=False, repr=False, compare=False)
    kind: ClassVar[str] = 'config'

    def total(self):
        return self.layers * sum(self.sizes)


c = Config('base', sizes=[1, 2])
d = Config('base', 3, [1, 2], verbose=True)
print(c, c == d, c != Config('x'), c.total(), Config.kind, [f.name for f in fields(c)])
c.sizes.append(5)
print(c.sizes, Config('n').sizes, asdict(c), astuple(c), replace(c, name='new', layers=9))
for bad in (lambda: Config(), lambda: Config('a', b=1), lambda: Config('a', 1, [], 0.1, True, 7)):
    try:
        bad()
    except TypeError as error:
        print(error)


@dataclass(frozen=True, order=True)
class Point:
    x: int
    y: int = 0

    @property
    def norm(self):
        return abs(self.x) + abs(self.y)


p = Point(1, 2)
print(p, p < Point(2), sorted([Point(3), Point(1, 5), Point(1)]), {p: 'a'}[Point(1, 2)], p.norm)
try:
    p.x = 5
except FrozenInstanceError as error:
    print(error)


@dataclass
class Base:
    a: int
    b: int = 2


@dataclass
class Derived(Base):
    c: int = 3
    a: int = 10

    def __post_init__(self):
        self.sum = self.a + self.b + self.c


print(Derived(), Derived(1, c=5), Derived(7).sum, isinstance(Derived(), Base))


@dataclass
class Tree:
    value: int
    left: Optional['Tree'] = None
    right: Optional['Tree'] = None


t = Tree(1, Tree(2), Tree(3, Tree(4)))
print(t)
print(asdict(t))


@dataclass(repr=False, eq=False)
class Plain:
    x: int = 1

    def __repr__(self):
        return 'plain'


print(Plain(), Plain() == Plain(), Plain(x=4).x)
try:
    @dataclass
    class Mutable:
        items: list = []
except ValueError as error:
    print(error)
try:
    @dataclass
    class Order:
        a: int = 1
        b: int
except TypeError as error:
    print(error)


@dataclass(kw_only=True)
class Options:
    width: int
    height: int = 5


print(Options(width=2))
try:
    Options(3)
except TypeError as error:
    print(error)
