# SPDX-License-Identifier: Apache-2.0
from abc import ABC, abstractmethod, ABCMeta
from typing import Protocol, Generic, TypeVar, List, Dict, Optional, Union, Tuple, Callable, Any, Iterable
import copy

T = TypeVar('T')


class Shape(ABC):
    def __init__(self, name):
        self.name = name

    @abstractmethod
    def area(self) -> float:
        ...

    @property
    @abstractmethod
    def sides(self):
        pass

    def describe(self):
        return f'{self.name}: {self.area():.2f} with {self.sides} sides'


class Square(Shape):
    def __init__(self, side):
        super().__init__('square')
        self.side = side

    def area(self):
        return self.side ** 2

    @property
    def sides(self):
        return 4


class Half(Shape):
    def area(self):
        return 0


for cls in (Shape, Half):
    try:
        cls('x')
    except TypeError as error:
        print(error)
print(Square(3).describe(), isinstance(Square(1), Shape), issubclass(Square, ABC))


class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: List[T] = []

    def push(self, item: T) -> 'Stack[T]':
        self.items.append(item)
        return self

    def pop(self) -> Optional[T]:
        return self.items.pop() if self.items else None


s = Stack[int]().push(1).push(2) if False else Stack().push(1).push(2)
print(s.pop(), s.pop(), s.pop())


class Drawable(Protocol):
    def draw(self) -> str: ...


def render(x: Drawable, extra: int | None = None, *more: Tuple[int, ...], **options: Union[str, Dict[str, Any]]) -> Callable[[int], str]:
    return x.draw()


class Dot:
    def draw(self):
        return '.'


print(render(Dot()), List[int], Optional[str], Dict[str, int], Union[int, str], list[int], int | None, Tuple[int, ...], Callable[[int], str])
print(isinstance(5, int | str), isinstance('x', int | None))


class Singleton(type):
    instances = {}

    def __call__(cls, *args, **kwargs):
        if cls not in cls.instances:
            cls.instances[cls] = super().__call__(*args, **kwargs)
        return cls.instances[cls]


class Database(metaclass=Singleton):
    def __init__(self, url):
        self.url = url


print(Database('a') is Database('b'), Database('c').url, type(Database).__name__)


class Registry(type):
    known = {}

    def __new__(mcs, name, bases, namespace, **kwargs):
        cls = super().__new__(mcs, name, bases, namespace)
        mcs.known[name.lower()] = cls
        return cls

    def __init__(cls, name, bases, namespace, **kwargs):
        super().__init__(name, bases, namespace)
        cls.tag = kwargs.get('tag', 'none')

    def __iter__(cls):
        return iter(['meta', cls.__name__])

    def __len__(cls):
        return 42


class Plugin(metaclass=Registry):
    pass


class Special(Plugin, tag='special'):
    pass


print(sorted(Registry.known), Special.tag, Plugin.tag, list(Special), len(Plugin), isinstance(Special, Registry))


class Node:
    def __init__(self, value, children=()):
        self.value = value
        self.children = list(children)
        self.meta = {'self': value}


tree = Node(1, [Node(2), Node(3)])
shallow, deep = copy.copy(tree), copy.deepcopy(tree)
tree.children[0].value = 99
tree.meta['self'] = 'changed'
print(shallow.children[0].value, deep.children[0].value, shallow.meta, deep.meta, copy.deepcopy([1, [2, (3, [4])]]), copy.copy({1: [2]}))
loop = [1]
loop.append(loop)
cloned = copy.deepcopy(loop)
print(cloned[1] is cloned, cloned is not loop)


class Mixin:
    def save(self):
        return f'saved {self.name} via {super().__repr__()[:5] if False else "mixin"}'


class Model(Mixin, Square):
    pass


print(Model(2).save(), [c.__name__ for c in Model.__mro__])
class Meters(float):
    def __add__(self, other):
        return Meters(float(self) + other)
m = Meters(2.5) + 1
print(m, type(m).__name__, m * 2, isinstance(m, float), f'{m:.2f}', max(m, 1), round(m))
