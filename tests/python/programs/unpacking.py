# SPDX-License-Identifier: Apache-2.0
a, *b = 1, 2, 3
*c, d = 'xyz'
e, *f, g = [1, 2]
(h, i), [j, *k] = (1, 2), [3, 4, 5]
print(a, b, c, d, e, f, g, h, i, j, k)
for x, *rest in [(1, 2, 3), (4,), 'ab']:
    print(x, rest)
for index, (key, (lo, hi)) in enumerate({'p': (1, 2), 'q': (3, 4)}.items()):
    print(index, key, lo, hi)
print([*range(3), *[9], *{'k': 1}], (*'ab',), {*[1, 1, 2]}, {**{'a': 1}, 'b': 2, **{'a': 3}})


def f(*args, **kwargs):
    return args, kwargs


print(f(*[1, 2], 3, *(4,), **{'x': 1}, y=2, **{'z': 3}))
for bad in ('a, b = [1]', ):
    pass
for left, right in (((1, 2), 'two'), ((1,), 'one'), ((1, 2, 3), 'three')):
    try:
        m, n = left
        print(m, n)
    except ValueError as error:
        print(right, error)
try:
    a, *b, c = [1]
except ValueError as error:
    print(error)


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __iter__(self):
        yield self.a
        yield self.b


p, q = Pair(1, 2)
print(p, q, [*Pair(3, 4)], dict([Pair('k', 'v')]), max(*Pair(5, 6)))
x = y = z = 0
x, y, z = z + 1, x + 2, y + 3
print(x, y, z)
data = {'a': [1, {'b': (2, 3)}]}
(first, second) = data['a'][1]['b']
print(first, second)
box = [None] * 3
box[0], box[-1] = 'start', 'end'
obj = type('Obj', (), {})()
obj.x, obj.y = 1, [2]
[obj.z, box[1]] = obj.y[0], obj.x
print(box, obj.x, obj.y, obj.z)
(lambda a, *b, c=1, **d: print(a, b, c, d))(1, 2, 3, c=4, e=5)
pairs = [(1, 'a'), (2, 'b'), (3, 'c')]
numbers, letters = zip(*pairs)
print(numbers, letters, dict(pairs), {v: k for k, v in pairs})
head, tail = pairs[0], pairs[1:]
print(head, tail, [n for n, _ in pairs], [(i, n, l) for i, (n, l) in enumerate(pairs)])
swap = [3, 1, 2]
for i in range(len(swap)):
    for j in range(len(swap) - 1):
        if swap[j] > swap[j + 1]:
            swap[j], swap[j + 1] = swap[j + 1], swap[j]
print(swap)
_, value, _ = 1, 2, 3
print(value, _)
def returns_many():
    return 1, 'two', [3]
one, two, three = returns_many()
print(one, two, three, returns_many()[1], *returns_many())
nested = [[1, [2, 3]], [4, [5, 6]]]
print([a + b + c for a, [b, c] in nested], {a: b for a, (b, _) in nested})
with_default = dict(a=1)
print('{a} {b}'.format(**with_default, b=2), '{0} {1}'.format(*'xy'), '%s %s' % (*'pq',))
