# SPDX-License-Identifier: Apache-2.0
print(list(range(5)), list(range(2, 10, 3)), list(range(5, 0, -2)), range(3), len(range(0, 100, 7)), 5 in range(10), range(10)[2:5], range(3) == range(0, 3))
print(sum([1, 2.5]), sum([[1], [2]], []), min(3, 1), max([1, 5, 2], key=lambda v: -v), max('b', 'a'), min((2, 'b'), (2, 'a')))
print(any(v > 2 for v in [1, 3]), all([]), all([1, 0]), abs(-4), divmod(17, 5), divmod(-17, 5), pow(2, 8), pow(2, 8, 5), round(3.14159, 3))
print(sorted('hello', reverse=True), sorted([3, 1, 2], key=lambda v: -v), list(reversed(range(3))), list(reversed('abc')))
print(isinstance(1, int), isinstance(True, int), isinstance(1, bool), isinstance('s', (int, str)), isinstance(1.0, float), isinstance([], list), isinstance(None, type(None)))
print(type(1), type('s'), type(None), type([]), type(int), type(print).__name__, type(lambda: 0).__name__, type(1) is int, type(1.5)(2))
print(int(), float(), str(), bool(), list(), tuple(), dict(), set(), bytes())
print(bool(0), bool('a'), bool([]), bool(None), bool(-1), bool(0.0), bool({0}))
print(list('abc'), tuple([1, 2]), list({'a': 1}), set([1, 1]), frozenset('a'), list(map(int, '123')), dict(enumerate('ab')))
print(callable(len), callable('x'), hasattr('x', 'upper'), getattr('x', 'nope', 'default'), id(5) == id(5), hash('a') == hash('a'), hash(1) == hash(1.0))
print(repr('a'), repr([1, 'b']), str([1, 'b']), str(None), ascii('é'), format(3.14159, '.2f'), format('x', '>5'), format(42), chr(65), ord('a'))
it = iter([1, 2, 3])
print(next(it), next(it), next(it), next(it, 'done'), list(iter(lambda it=iter([1, 2, 0, 3]): next(it), 0)))
try:
    next(it)
except StopIteration:
    print('stop')
print(list(zip()), list(zip([1], [2, 3])), list(zip(*[(1, 'a'), (2, 'b')])), list(map(max, [1, 5], [3, 2])), list(filter(str.isalpha, 'a1b2')))
try:
    list(zip([1], [2, 3], strict=True))
except ValueError as error:
    print(error)
print(slice(1, 5, 2), slice(3), [0, 1, 2, 3, 4, 5][slice(1, 5, 2)], slice(None).start)
print('a', 'b', sep='', end='.\n')
print(1, [2], {'k': (3,)}, None, True, 1.5, 'txt', b'x', sep='|')
print()
for bad in (lambda: int('abc'), lambda: float('x'), lambda: [].pop(), lambda: {}.popitem(), lambda: 'a'.index('z'), lambda: [1].remove(2), lambda: len(1),
            lambda: max([]), lambda: chr(-1), lambda: ord('ab'), lambda: int([]), lambda: sorted([1, 'a']), lambda: 'a' + 1, lambda: 1 + 'a', lambda: [] + (),
            lambda: range(1, 2, 0), lambda: abs('a'), lambda: sum(['a']), lambda: round('a'), lambda: iter(5), lambda: 5 % 0, lambda: 5.0 / 0, lambda: 'x' * 'y',
            lambda: (1, 2)[5], lambda: 'abc'[10], lambda: {1: 2}[3], lambda: None + 1, lambda: -'a', lambda: isinstance(1, 5), lambda: print(1, bad=2), lambda: 1 < 'a',
            lambda: {[]: 1}, lambda: next(5), lambda: getattr(5, 'zz'), lambda: 3 in 5, lambda: int('1.5'), lambda: [][0:'a'], lambda: '%d' % 'a', lambda: '{}'.format()):
    try:
        print(bad())
    except Exception as error:
        print(type(error).__name__, '-', error)
print(dict(a=1, **{'b': 2}), [*{1: 2, 3: 4}], (*'ab', *[1]), vars(type('T', (), {'x': 1})()).get('x'))
print(int('  12  '), int('1_000'), int('ff', 16), int('-101', 2), float('1_0.5'), float('-inf'), int(True), float(True), complex('1') if False else 1)
print(globals()['it'] is it, '__name__' in globals(), sorted(k for k in {'b': 1, 'a': 2}), bin(5)[2:].zfill(8))
