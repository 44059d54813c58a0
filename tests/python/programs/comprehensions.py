# SPDX-License-Identifier: Apache-2.0
print([x * 2 for x in range(5)], [x for x in range(10) if x % 3 == 0 if x > 2], [(x, y) for x in 'ab' for y in range(2)])
print({x: x ** 2 for x in range(4)}, {len(w) for w in ['a', 'bb', 'cc']}, list(x for x in 'abc' if x != 'b'), dict((k, v) for k, v in [('a', 1)]))
matrix = [[1, 2, 3], [4, 5, 6]]
print([[row[i] for row in matrix] for i in range(3)], [v for row in matrix for v in row if v % 2], [[v * 2 for v in row] for row in matrix if sum(row) > 6])
print([f'{i}:{c}' for i, c in enumerate('xyz')], [x if x > 1 else -x for x in range(4)], [y for x in range(3) if (y := x * x) != 1])
x = 'outer'
squares = [x * x for x in range(3)]
print(x, squares, [i for i in range(5) for _ in range(i) if i != 3], sum(i * i for i in range(10)), max((len(w), w) for w in ['aa', 'b']))
fs = [lambda i=i: i for i in range(3)]
gs = [lambda: i for i in range(3)]
print([f() for f in fs], [g() for g in gs])


def outer(n):
    factor = 10
    return [[factor * i + j + n for j in range(2)] for i in range(2)], {k: (lambda: k + factor)() for k in range(2)}


print(outer(1))


class C:
    sizes = [1, 2, 3]
    doubled = [s * 2 for s in sizes]
    names = {s: f'layer{s}' for s in sizes}

    def method(self):
        return [self.scale(s) for s in self.sizes if s in self.names]

    def scale(self, s):
        return s * 100


print(C.doubled, C.names, C().method())
gen = (print('evaluated', i) or i for i in range(3))
print(next(gen), list(gen))
print(any(print('check', v) or v > 1 for v in [1, 2, 3]), all(v for v in []), ','.join(str(v) for v in (1, 2)), sorted((w for w in 'cab'), reverse=True))
primes = [p for p in range(2, 40) if all(p % d for d in range(2, int(p ** 0.5) + 1))]
print(primes, {p % 4 for p in primes}, {r: [p for p in primes if p % 4 == r] for r in (1, 3)})
words = 'the cat sat on the mat the end'.split()
print({w: words.count(w) for w in dict.fromkeys(words)}, {w[0]: [v for v in words if v[0] == w[0]] for w in words})
transposed = list(map(list, zip(*matrix)))
print(transposed, [a + b for a, b in zip([1, 2], [3, 4])], [None for _ in range(2)], [[] for _ in range(2)], [*(x for x in 'hi')])
triples = [(a, b, c) for c in range(1, 21) for b in range(1, c) for a in range(1, b) if a * a + b * b == c * c]
print(triples)
nested = {'a': {'x': 1}, 'b': {'y': 2}}
print({f'{o}.{i}': v for o, d in nested.items() for i, v in d.items()}, {k: {**v, 'z': 0} for k, v in nested.items()})
try:
    [1 / d for d in (1, 0)]
except ZeroDivisionError as error:
    print(error)
lazy = (x for x in undefined_later) if False else (x for x in [1])
print(list(lazy), [*map(lambda v: v ** 2, filter(lambda v: v % 2, range(6)))], [(i, j) for i in range(3) for j in range(i, 3)])
print([c for c in 'hello world' if c not in 'aeiou '], ''.join([c.upper() if i % 2 else c for i, c in enumerate('python')]), [ord(c) - 96 for c in 'abc'])
