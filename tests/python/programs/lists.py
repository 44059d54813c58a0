# SPDX-License-Identifier: Apache-2.0
a = [5, 3, 8, 1]
a.append(9); a.extend([2, 7]); a.insert(1, 100); a.insert(-1, 55)
print(a, len(a), a.pop(), a.pop(0), a.index(8), a.count(3))
a.remove(100)
a.sort()
print(a, sorted(a, reverse=True), sorted(a, key=lambda v: -v % 5))
a.reverse()
print(a, a[1:3], a[::-1], a[-2:], a[::2], a[5:1:-2])
b = a[:]
b[1:3] = ['x', 'y', 'z']
print(b, a == b, a[:2] == b[:2], b is a)
b[::2] = [0] * len(b[::2])
del b[0], b[-1]
print(b)
del b[1:3]
print(b, [1] * 3, [1, 2] + [3], [[0] * 2 for _ in range(2)])
first, *middle, last = range(6)
print(first, middle, last)
(p, q), r = (1, 2), 3
[x, y] = 'ab'
print(p, q, r, x, y)
p, q = q, p
print(p, q)
nested = [[1, 2], [3, 4]]
shallow = list(nested)
shallow[0].append(99)
print(nested, [sum(row) for row in nested], sum(nested, []))
print([1, 2] < [1, 3], [1, 2] < [1, 2, 0], [] < [0], (1, 'a') == (1, 'a'))
t = (3, 1, 2)
print(t, t[1], t + (4,), t * 2, len(t), t.index(2), t.count(1), (), (1,), tuple('ab'))
print(list(zip([1, 2, 3], 'abc')), list(enumerate('ab', 1)), list(map(lambda i, j: i + j, [1, 2], [3, 4])))
print(list(filter(None, [0, 1, '', 'a'])), list(reversed([1, 2, 3])), any([0, 1]), all([]), sum([0.5, 1]))
print(min([3, 1], key=lambda v: -v), max('a', 'bb', key=len), min([], default='none'))
words = ['banana', 'apple', 'cherry', 'fig']
words.sort(key=len)
print(words, sorted(words, key=lambda w: (len(w), w)), sorted([(2, 'b'), (1, 'z'), (2, 'a')]))
a = [1, 2, 3]
a += (4, 5)
a *= 2
print(a, 3 in a, 10 not in a)
a.clear()
print(a, bool(a), [*range(3), *'ab'], [a, a])
c = [1]
c.append(c)
print(c)
for i, row in enumerate([(1, 2), (3, 4)]):
    for j, (k) in enumerate(row):
        print(i, j, k, end='; ')
print()
print(*[1, 2, 3], sep='-', end='!\n')


# What fails leaves the list as it was.
class Watched(list):
    def __setitem__(self, index, value):
        super().__setitem__(index, value)

    def __delitem__(self, index):
        super().__delitem__(index)


def fails():
    yield 1
    raise KeyError('stop')


for made in (Watched, list):
    for work in (lambda a: a.__setitem__(9, 1), lambda a: a.__setitem__(slice(1, 2), fails()), lambda a: a.__setitem__(slice(0, None, 2), [1]), lambda a: a.__delitem__(9),
                 lambda a: a.__setitem__('x', 1), lambda a: a.__delitem__('x'), lambda a: a.__setitem__(slice(1, 2), (len(a) for _ in range(2))),
                 lambda a: a.__delitem__(slice(0, 1)), lambda a: list.__setitem__(a, -1, 9)):
        watched = made([4, 5, 6])
        try:
            print(work(watched), watched)
        except Exception as e:
            print(type(e).__name__, e, watched)
