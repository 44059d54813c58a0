# SPDX-License-Identifier: Apache-2.0
import itertools as it
from itertools import product, permutations, combinations, chain

print(list(product('ab', [1, 2])), list(product([0, 1], repeat=2)), len(list(product())))
print(list(permutations([1, 2, 3], 2)), len(list(permutations(range(5)))), list(combinations('abcd', 2)), list(combinations([1], 2)))
print(list(it.combinations_with_replacement('ab', 2)), list(chain([1], (2, 3), 'x')), list(chain.from_iterable([[1], [2, 3]])))
print(list(it.islice(it.count(10, 5), 4)), list(it.islice(range(10), 2, 8, 3)), list(it.islice('abc', 2)), list(it.repeat('x', 3)))
print(list(it.accumulate([1, 2, 3, 4])), list(it.accumulate([3, 1, 5], max)), list(it.accumulate([1, 2], initial=10)))
print(list(it.zip_longest('abc', [1], fillvalue='-')), list(it.starmap(pow, [(2, 3), (3, 2)])), list(it.pairwise([1, 2, 3])))
print(list(it.takewhile(lambda x: x < 3, [1, 2, 3, 1])), list(it.dropwhile(lambda x: x < 3, [1, 2, 3, 1])), list(it.filterfalse(lambda x: x % 2, range(6))))
print([(k, list(g)) for k, g in it.groupby('aaabbc')], {k: len(list(g)) for k, g in it.groupby([1, 1, 2, 3, 3], key=lambda v: v % 2)})
a, b = it.tee([1, 2, 3])
print(list(a), list(b), list(it.compress('abcd', [1, 0, 1, 0])), list(it.islice(it.cycle('ab'), 5)))
grid = [[i * 3 + j for j in range(3)] for i in range(3)]
print(list(zip(*grid)), [list(row) for row in zip(*grid[::-1])], sum(chain(*grid)))
for i, (x, y) in zip(it.count(1), [('a', 'b'), ('c', 'd')]):
    print(i, x, y)
print(sorted(permutations('cab')), max(combinations([4, 1, 3], 2), key=sum), [''.join(p) for p in product('01', repeat=3)])
