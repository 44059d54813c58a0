# SPDX-License-Identifier: Apache-2.0
from enum import Enum, IntEnum, auto, unique, Flag


class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3
    CRIMSON = 1

    def describe(self):
        return f'{self.name.lower()} is {self.value}'

    @classmethod
    def default(cls):
        return cls.GREEN


print(Color.RED, repr(Color.RED), Color.RED.name, Color.RED.value, Color(2), Color['BLUE'], Color.CRIMSON)
print(list(Color), len(Color), Color.RED is Color.CRIMSON, Color.RED == Color.GREEN, Color.RED != 1, Color.BLUE.describe())
print(Color.default(), isinstance(Color.RED, Color), Color.RED in Color, type(Color.RED).__name__, [c.name for c in Color])
print({Color.RED: 'r'}[Color(1)], f'{Color.GREEN}', str(Color.GREEN), '%s' % Color.GREEN, Color.__members__.keys())
for bad in (lambda: Color(9), lambda: Color['NOPE'], lambda: Color.NOPE):
    try:
        bad()
    except (ValueError, KeyError, AttributeError) as error:
        print(type(error).__name__, error)


class Mode(str, Enum):
    TRAIN = 'train'
    EVAL = 'eval'


print(Mode.TRAIN == 'train', Mode('eval'), Mode.EVAL.value, Mode.TRAIN.upper(), isinstance(Mode.TRAIN, str))


class Priority(IntEnum):
    LOW = auto()
    MID = auto()
    HIGH = 10
    TOP = auto()


print(list(Priority), Priority.LOW < Priority.HIGH, Priority.MID + 1, int(Priority.TOP), sorted([Priority.HIGH, Priority.LOW]), [10, 20, 30][Priority.LOW])


class Planet(Enum):
    EARTH = (5.97, 6.37)
    MARS = (0.64, 3.39)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius

    @property
    def density(self):
        return round(self.mass / self.radius, 3)


print(Planet.EARTH.mass, Planet.MARS.density, Planet.EARTH.value, [p.radius for p in Planet])


class Perm(Flag):
    R = auto()
    W = auto()
    X = auto()


rw = Perm.R | Perm.W
print(Perm.R in rw, Perm.X in rw, rw.value, bool(rw & Perm.X), (rw ^ Perm.R) == Perm.W)
try:
    @unique
    class Dup(Enum):
        A = 1
        B = 1
except ValueError as error:
    print('duplicate', 'B -> A' in str(error))
Animal = Enum('Animal', 'CAT DOG')
print(list(Animal), Animal.DOG.value)
