# SPDX-License-Identifier: Apache-2.0
class Animal:
    """An animal."""
    kingdom = 'animalia'
    count = 0

    def __init__(self, name, legs=4):
        self.name = name
        self._legs = legs
        Animal.count += 1

    def speak(self):
        return f'{self.name} makes {self.sound()}'

    def sound(self):
        return 'noise'

    @property
    def legs(self):
        return self._legs

    @legs.setter
    def legs(self, value):
        if value < 0:
            raise ValueError('negative legs')
        self._legs = value

    @classmethod
    def create(cls, name):
        return cls(name)

    @staticmethod
    def is_animal(x):
        return isinstance(x, Animal)

    def __repr__(self):
        return f'{type(self).__name__}({self.name!r})'


class Dog(Animal):
    def __init__(self, name, *, trained=False):
        super().__init__(name)
        self.trained = trained

    def sound(self):
        return 'woof'


class Puppy(Dog):
    kingdom = 'tiny'

    def sound(self):
        return super().sound() + '?' + super(Dog, self).sound()


a, d, p = Animal('generic'), Dog('rex', trained=True), Puppy.create('bit')
print(a, d, p, [x.speak() for x in (a, d, p)], Animal.count)
print(isinstance(p, Animal), issubclass(Puppy, Dog), isinstance(a, (Dog, int)), type(p) is Puppy, Animal.is_animal(3))
print(p.kingdom, d.kingdom, Puppy.__name__, Puppy.__mro__ == (Puppy, Dog, Animal, object), Puppy.__bases__ == (Dog,))
d.legs = 3
print(d.legs, d.__dict__, Animal.__doc__, d.__class__.__name__, hasattr(d, 'wings'), getattr(d, 'wings', None))
for action in (lambda: setattr(d, 'legs', -1), lambda: d.missing, lambda: Animal(), lambda: Animal.missing, lambda: d.speak(1)):
    try:
        action()
    except Exception as error:
        print(type(error).__name__, error)
setattr(d, 'color', 'brown')
print(d.color, vars(d))
del d.color
print('color' in d.__dict__)
method = d.speak
print(method(), Dog.speak(a), method.__self__ is d, method.__name__)


class ReadOnly:
    @property
    def value(self):
        return 1


try:
    ReadOnly().value = 2
except AttributeError as error:
    print(error)


class A:
    def who(self):
        return 'A'


class B(A):
    def who(self):
        return 'B' + super().who()


class C(A):
    def who(self):
        return 'C' + super().who()


class D(B, C):
    def who(self):
        return 'D' + super().who()


print(D().who(), [c.__name__ for c in D.__mro__])
try:
    class E(A, B):
        pass
except TypeError as error:
    print(str(error).replace('\n', ' ').split(' for')[0])


class Meta:
    registry = []

    def __init_subclass__(cls, tag=None, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.registry.append((cls.__name__, tag))


class M1(Meta, tag='one'):
    pass


class M2(Meta):
    x = [i for i in range(3)]
    y = x[1] + 1
    def get(self):
        return self.y


print(Meta.registry, M2.x, M2().get())


class Outer:
    class Inner:
        def __init__(self):
            self.v = 1

    def make(self):
        return self.Inner()


print(Outer().make().v, Outer.Inner.__qualname__)
Dynamic = type('Dynamic', (A,), {'extra': lambda self: 'x' + self.who()})
print(Dynamic().extra(), Dynamic.__name__)


class Settings:
    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)


settings = Settings(lr=0.1, steps=3)
settings.__dict__['name'] = 'run'
vars(settings).pop('steps')
print(settings.lr, settings.name, hasattr(settings, 'steps'), settings.__dict__, type(vars(settings)).__name__)
settings.__dict__ |= {'extra': 1}
print(sorted(settings.__dict__), {**vars(settings)} == settings.__dict__.copy(), settings.__dict__.setdefault('q', 5), settings.q)
