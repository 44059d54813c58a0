# SPDX-License-Identifier: Apache-2.0
class Plain:
    pass


class WithStr:
    def __str__(self):
        return 'str form'


class WithRepr:
    def __repr__(self):
        return 'repr form'


print(WithStr(), [WithRepr()], WithRepr(), {'k': WithRepr()}, (WithRepr(),), str(WithRepr()), f'{WithRepr()}', '%s %r' % (WithRepr(), WithRepr()))
print(repr(Plain()).startswith('<__main__.Plain object at 0x'), Plain, print, len.__name__ if hasattr(len, '__name__') else '')
print([1.0, 2.5, 1e-7, 1e22, 123456789012345680.0, -0.0, 1e16, 0.1 + 0.7], 1e5, 100000.0, 1.5e300 * 1e10, 5e-324)
print([True, None, ..., NotImplemented, 'q', "it's", b'b', 1j, -1.5 + 2j, (1 + 0j)])
print({}, [], (), set(), {1}, {'a': {}}, [[]], ((),), [(1,)], {None: None}, {(1, 2): [3]})
print([1, 2, [3, [4, [5]]]], {'a': [1, {'b': (2,)}]}, ['a\nb', 'tab\t', 'uni é', 'quote\'s "x"', '\\'])
print('no newline', end=''); print(' joined', 'by', 'spaces'); print('a', 1, None, sep='-'); print(*'xyz', sep='\n'); print(end='')
print(Exception('msg'), repr(Exception('msg')), repr(ValueError()), repr(KeyError('k')), str(KeyError('k')), [TypeError('t')])
print(range(5), range(1, 10, 2), slice(1, None), type(5), type([]), int, Plain.__name__, [int, str], {'t': float})
print(repr({'a': 1}.keys()), {'a': 1}.items(), repr(iter([])).startswith('<list_iterator'), str(zip()).startswith('<zip'), (x for x in []).__class__.__name__)
print(str(1.0), str(10 ** 15), 10 ** 15 / 1, 2 ** 53 / 1, 1 / 3 * 3, 2 / 3, 1e3 // 7, 7.0 % 2.5, 3.0 == 3, 1e308 * 10)
print(12345.678901234567, 0.1, 1 / 7, 100 / 3, 1e-10, 123e-7, 4.35 * 100, 1.1 + 2.2, 9007199254740993 / 1.0)
def function(): pass
print(repr(function).startswith('<function function at 0x'), repr(lambda: 0).startswith('<function <lambda> at'), function.__name__)
lines = ['%3d: %s' % (i, line) for i, line in enumerate('a b c'.split(), 1)]
print('\n'.join(lines))
nested = {'list': [1, 2], 'tuple': (3,), 'set': {4}, 'str': 'five', 'none': None, 'bool': False, 'float': 6.0}
print(nested)
for key in sorted(nested):
    print(f'{key!s:>6}: {nested[key]!r:<12}|')
