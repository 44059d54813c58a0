# SPDX-License-Identifier: Apache-2.0
class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def move(self, dx, dy=0, *, fast):
        pass


def f(a, b, c=3, *, d):
    pass


def g(a):
    pass


def h():
    pass


cases = [
    lambda: Point(), lambda: Point(1), lambda: Point(1, 2, 3), lambda: Point(x=1, z=2), lambda: Point(1, 2).move(), lambda: Point(1, 2).move(1),
    lambda: f(), lambda: f(1, 2), lambda: f(1, d=1), lambda: f(1, 2, 3, 4, d=5), lambda: f(1, 2, d=3, e=4), lambda: f(1, 2, a=3, d=4), lambda: g(), lambda: g(1, 2), lambda: h(1), lambda: h(k=1),
    lambda: Point(1, 2).z, lambda: Point.z, lambda: None.x, lambda: (5).foo, lambda: 'a'.foo, lambda: [].foo, lambda: {}.foo, lambda: h.foo, lambda: Point(1, 2)(), lambda: Point(1, 2)[0], lambda: Point(1, 2) + 1,
    lambda: 1 + Point(1, 2), lambda: -Point(1, 2), lambda: Point(1, 2) < Point(1, 2), lambda: len(Point(1, 2)), lambda: iter(Point(1, 2)), lambda: [*Point(1, 2)], lambda: 1 in Point(1, 2),
    lambda: [1, 2, 3][1.0], lambda: [1][None], lambda: (1,)['a'], lambda: 'abc'['a'], lambda: {}[1, 2], lambda: [1, 2][5], lambda: 'abc'[9], lambda: [].pop(), lambda: [1].index(5), lambda: (1,).index(5),
    lambda: 1 / 0, lambda: 1 % 0, lambda: 1.0 // 0, lambda: int('z'), lambda: int(None), lambda: float('abc'), lambda: float([]), lambda: 'a' * 'b', lambda: 'a' - 'b', lambda: [] + {}, lambda: () + [], lambda: {} + {},
    lambda: 1 & 1.5, lambda: ~1.5, lambda: 1 << -1, lambda: {1} + {2}, lambda: {1} | [2], lambda: None < None, lambda: 1 < 'a', lambda: [1] < 1, lambda: sorted([1, None]), lambda: max(1, 'a'), lambda: sum([1, 'a']),
    lambda: {[1]: 2}, lambda: {{}: 1}, lambda: {[1]}, lambda: hash([]), lambda: ''.join([1]), lambda: ','.join(5), lambda: 'a'.split(''), lambda: '{0}'.format(), lambda: '{a}'.format(), lambda: '%s %s' % 1, lambda: '%d' % 'x', lambda: '%s' % (1, 2),
    lambda: isinstance(1, 'a'), lambda: next(iter([])), lambda: dict([1]), lambda: dict([(1, 2, 3)]), lambda: list(5), lambda: tuple(5), lambda: set(5), lambda: range('a'), lambda: range(1.5), lambda: enumerate(5), lambda: zip(5), lambda: reversed(5), lambda: abs('x'), lambda: round('x'),
    lambda: getattr(1, 'a'), lambda: setattr(1, 'a', 2), lambda: chr(-5), lambda: ord(''), lambda: divmod(1, 0), lambda: pow(0, -1), lambda: 10 ** 400 if False else 1.0 * 10 ** 18 * 1e300, lambda: bytes([300]), lambda: int('12', 99), lambda: {}.popitem(), lambda: set().pop(), lambda: [1].remove(2), lambda: {1}.remove(2),
    lambda: f'{"a":d}', lambda: f'{1.5:d}', lambda: f'{[1]:>5}', lambda: format('a', '.2f'), lambda: exec_undefined, lambda: (lambda: nope)(),
]
for number, case in enumerate(cases):
    try:
        print(number, case())
    except Exception as error:
        print(number, type(error).__name__, '|', error)
