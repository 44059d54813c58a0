# SPDX-License-Identifier: Apache-2.0
class Base:
    registry = {}
    defaults = {'lr': 0.1}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Base.registry[cls.__name__] = cls

    def __init__(self, **kwargs):
        self.options = {**self.defaults, **kwargs}

    def step(self):
        return [f'{type(self).__name__}.step']

    def __getattr__(self, name):
        options = self.__dict__.get('options', {})
        if name in options:
            return options[name]
        raise AttributeError(f'{type(self).__name__!r} object has no attribute {name!r}')


class Logging:
    def __init__(self, *, prefix='log', **kwargs):
        super().__init__(**kwargs)
        self.prefix = prefix

    def step(self):
        return [self.prefix] + super().step()


class Timed:
    def step(self):
        return ['timed'] + super().step()


class Optimizer(Logging, Timed, Base):
    defaults = {**Base.defaults, 'momentum': 0.9}

    def step(self):
        return ['optimizer'] + super().step()


o = Optimizer(prefix='>>', lr=0.5)
print(o.step(), o.lr, o.momentum, o.prefix, [c.__name__ for c in Optimizer.__mro__])
try:
    o.missing
except AttributeError as error:
    print(error)
print(sorted(Base.registry), Base.registry['Optimizer'] is Optimizer, o.options)


class Slots:
    __slots__ = ('a', 'b')

    def __init__(self):
        self.a = 1


print(Slots().a, Slots.__slots__)


class Celsius:
    def __init__(self, degrees=0.0):
        self.degrees = degrees

    @property
    def fahrenheit(self):
        """In Fahrenheit."""
        return self.degrees * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, value):
        self.degrees = (value - 32) * 5 / 9

    @fahrenheit.deleter
    def fahrenheit(self):
        self.degrees = None

    kelvin = property(lambda self: self.degrees + 273.15)


c = Celsius()
c.fahrenheit = 212
print(c.degrees, c.fahrenheit, c.kelvin)
del c.fahrenheit
print(c.degrees)


class Shared:
    items = []
    count = 0

    def add(self, x):
        self.items.append(x)
        self.count += 1


a, b = Shared(), Shared()
a.add(1); a.add(2); b.add(3)
print(a.items, b.items is a.items, a.count, b.count, Shared.count, 'count' in a.__dict__, 'items' in a.__dict__)
Shared.count = 100
print(a.count, Shared().count)


class Abstract:
    def template(self):
        return f'{self.before()}-{self.body()}-{self.after()}'

    def before(self):
        return 'B'

    def body(self):
        raise NotImplementedError('body')

    def after(self):
        return 'A'


class Concrete(Abstract):
    def body(self):
        return 'concrete'


print(Concrete().template())
try:
    Abstract().template()
except NotImplementedError as error:
    print(type(error).__name__, error)


class Builder:
    def __init__(self):
        self.parts = []

    def __getattr__(self, name):
        def add(*args):
            self.parts.append((name, *args))
            return self
        return add


print(Builder().conv(3, 16).relu().pool(2).parts)


class Countable:
    instances = 0

    def __new__(cls, *args, **kwargs):
        instance = super().__new__(cls)
        cls.instances += 1
        instance.serial = cls.instances
        return instance

    def __init__(self, name):
        self.name = name


print([(x.serial, x.name) for x in (Countable('a'), Countable('b'))], Countable.instances)


class Immutable(tuple):
    def __new__(cls, *items):
        return super().__new__(cls, items)

    @property
    def total(self):
        return sum(self)


im = Immutable(1, 2, 3)
print(im, im.total, im[1], len(im), isinstance(im, tuple), im == (1, 2, 3), im + (4,), hash(im) == hash((1, 2, 3)))


class Method:
    @staticmethod
    def s(x):
        return x * 2

    @classmethod
    def c(cls, x):
        return cls.__name__, cls.s(x)

    def i(self, x):
        return self.s(x), self.c(x)


class Sub(Method):
    @staticmethod
    def s(x):
        return Method.s(x) + 1

    @classmethod
    def c(cls, x):
        return ('sub',) + super().c(x)


print(Sub().i(3), Method.c(1), Sub.c(1), Sub.s(5), Method().s(2))
function = Sub().i
print(function.__func__ is Sub.i, function.__self__.__class__.__name__, [f(1) for f in (Sub.c, Sub.s)])
print(super(Sub, Sub).c.__func__ is Method.c.__func__, isinstance(Sub.__dict__['c'], classmethod), 'i' in Sub.__dict__, hasattr(Sub, 'i'))


def patched(self):
    return 'patched ' + str(self.i(1))


Method.extra = patched
print(Sub().extra())
instance = Sub()
instance.i = lambda x: 'instance'
print(instance.i(1), Sub.i(instance, 2))
