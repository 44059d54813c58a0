# SPDX-License-Identifier: Apache-2.0
d = {'a': 1, 'b': 2}
d['c'] = 3
d.update({'d': 4}, e=5)
print(d, len(d), 'a' in d, 1 in d, d.get('z'), d.get('z', 0), d['b'])
print(list(d), list(d.keys()), list(d.values()), list(d.items()), d.keys(), d.values(), d.items())
print(d.pop('a'), d.pop('zz', None), d.popitem(), d.setdefault('n', []), d.setdefault('b', 9), d)
for k, v in d.items():
    print(k, v, end=' ')
print()
print({k: v for k, v in zip('xyz', range(3))}, {**d, 'q': 1}, dict(a=1), dict([('p', 2)]), dict(zip('ab', [1, 2])))
del d['n']
print(d, d == {'c': 3, 'b': 2, 'd': 4}, {1: 'a', 1.0: 'b', True: 'c'}, dict.fromkeys('ab', 0))
counts = {}
for ch in 'mississippi':
    counts[ch] = counts.get(ch, 0) + 1
print(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
groups = {}
for word in ['apple', 'bob', 'cat', 'alice']:
    groups.setdefault(word[0], []).append(word)
print(groups, max(counts, key=counts.get), sorted(counts))
print({(1, 2): 'tuple', None: 0, 3.5: 'f'}, d | {'new': 1}, list(reversed({'x': 1, 'y': 2})))
try:
    d['missing']
except KeyError as error:
    print('KeyError', error, repr(error), error.args)
try:
    {}[[1]]
except TypeError as error:
    print(error)
try:
    for k in d:
        d[k + 'x'] = 1
except RuntimeError as error:
    print(error)
nested = {'a': {'b': {'c': 1}}}
nested['a']['b']['d'] = 2
print(nested, nested['a']['b'].keys() & {'c', 'z'}, d.keys() - {'c'} == {'b', 'd', 'cx'})
s = {3, 1, 2}
s.add(5); s.discard(9); s.remove(1)
print(s, 2 in s, s | {10}, s & {2, 3}, s - {2}, s ^ {2, 100}, {1, 2} <= {1, 2, 3}, {1} < {1}, len(s), set())
print(set('a'), frozenset([1, 2]), {1, 2} == {2, 1}, sorted({'b', 'a'}), {x % 3 for x in range(10)}, s.issubset(range(10)))
s.update([7, 8], (9,))
print(sorted(s), s.isdisjoint({100}), s.union([1]), s.intersection({5, 7}), s.difference([5]), s.pop() in range(10))
empty = {}
print(type(empty), type({1}), not empty, bool({0: 0}))
d.clear()
print(d)
