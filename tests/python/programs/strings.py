# SPDX-License-Identifier: Apache-2.0
s = 'The quick brown fox'
print(s.lower(), s.upper(), s.swapcase(), s.title(), 'hello'.capitalize())
print(s.split(), s.split('o'), s.split(' ', 1), s.rsplit(' ', 1), 'a,b,,c'.split(','))
print('-'.join(['a', 'b', 'c']), ''.join(reversed('abc')), ', '.join(map(str, range(5))))
print(s.find('quick'), s.find('zzz'), s.rfind('o'), s.index('b'), s.count('o'))
print(s.startswith('The'), s.endswith(('dog', 'fox')), 'abc' in s, 'brown' in s)
print('  padded  '.strip() + '|', 'xxabcxx'.strip('x'), 'abc  '.rstrip() + '|', '...a'.lstrip('.'))
print('abc'.ljust(6) + '|', 'abc'.rjust(6, '.') + '|', 'abc'.center(8, '*'), 'abc'.center(7, '*'), '42'.zfill(5), '-42'.zfill(5))
print('a-b-c'.replace('-', '+'), 'a-b-c'.replace('-', '+', 1), 'abc'.replace('', '.'))
print('key=value=x'.partition('='), 'key=value=x'.rpartition('='), 'none'.partition('='))
print('abc123'.isalnum(), 'abc'.isalpha(), '123'.isdigit(), ' '.isspace(), 'Abc'.istitle(), 'ABC'.isupper(), 'a b'.isidentifier())
print('one\ntwo\r\nthree'.splitlines(), 'a\tb'.expandtabs(4))
print(s[0], s[-1], s[4:9], s[::-1], s[::2], s[-3:], s[:3], s[100:], s[5:2])
print('ab' * 3, 3 * 'x', 'a' + 'b' 'c' "d")
print(repr('it\'s'), repr("say \"hi\""), repr('both \' and "'), repr('tab\tnew\nback\\'), repr('\x00\x1f\x7f'))
print('\u00e9\u4e2d', len('\u00e9\u4e2d\U0001f600'), '\u00e9\u4e2d'[1], repr('\u00e9'), ascii('\u00e9\u4e2d'))
print(r'raw\n', 'multi' \
      'line', """triple
quoted""")
print('abc' < 'abd', 'Z' < 'a', max('hello'), sorted('banana'), list('xyz'))
print('%s is %d years and %.2f tall, %5d|%-5d|%05d %x %o %e %g %% %r %c' % ('Bob', 42, 1.756, 7, 7, 7, 255, 8, 12345.678, 0.0001, 'q', 'z'))
print('%(a)s-%(b)03d' % {'a': 'x', 'b': 5}, '%s' % (1, ) , '%s' % [1, 2], '%10.3f|%+d|% d' % (3.14159, 5, 5))
print('{} {} {}'.format(1, 'two', 3.0), '{0}{1}{0}'.format('a', 'b'), '{x}-{y}'.format(x=1, y=2))
print('{:>8}|{:<8}|{:^8}|{:*^9}|'.format('r', 'l', 'c', 'fill'), '{:08.3f} {:+d} {:,} {:_}'.format(3.14159, 5, 1234567, 7654321))
print('{0[1]} {1.real} {2[key]}'.format([10, 20], 3, {'key': 'v'}), '{{}} {!r:>6}'.format('a'), '{:{}}|'.format('w', 5))
print('{:b} {:o} {:x} {:X} {:#x} {:#b} {:c}'.format(10, 10, 255, 255, 255, 5, 65))
print('{:.3} {:.2e} {:g} {:%} {:.1%}'.format('truncate', 12345.678, 1e10, 0.25, 0.123))
print('a b c'.translate(str.maketrans('abc', 'xyz')), 'removeprefix'.removeprefix('remove'), 'file.py'.removesuffix('.py'))
print('A' 'B', 'x'.encode(), b'bytes\x00', b'abc'[1], len(b'abc'), b'a' + b'b', 'é'.encode(), b'hi'.decode())

data = b"\x00abc image\xff"
print(b"image" in data, b"" in data, b"\x00a" in data, b"imagine" in data, 0 in data, 255 in data, 254 in data, True in data)
for wrong in ("image", 256, -1, 1.5, None):
    try:
        print(wrong in data)
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)
