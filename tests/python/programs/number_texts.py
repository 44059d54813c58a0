# Integers as text and back: what is written, what is refused, and millions of digits at once.
import math


def show(name, work):
    try:
        text = repr(work())
    except Exception as e:
        text = type(e).__name__ + ' ' + str(e)
    print(name, len(text), text[:300])


for text in ('9' * 4301, '0' * 5000, '1_' * 4300 + '1', '-' + '1' * 4301, ' ' + '9' * 4301 + ' ', '9' * 5000 + 'x', '0' * 4301 + '1' * 30,
             'x' * 1000, 'ü' * 300, '1__0', '_1', '1_', '- 1', '+-1', '+5', '--5', '', ' ', '-', '0x10', '1e5', '1.0', '1 2', '0_0', '-9223372036854775808',
             '9223372036854775808', '-9223372036854775809', '00012', ' 7\n'):
    show('int ' + text[:20], lambda: int(text))
for text, base in (('1' * 4301, 3), ('0' * 5000, 3), ('1' * 5000, 36), ('0' * 4301 + '1', 3), ('0x_ff', 16), ('0x__ff', 16), ('0x', 16), ('0X1f', 16), ('010', 0),
                   ('0o17', 0), ('0', 0), ('00', 0), ('0_0', 0), ('0b102', 0), ('0b', 0), ('-0x10', 0), ('z' * 20, 36), ('Z1', 36), ('12', 2), ('v' * 30, 32),
                   ('0b11', 16), ('5', 1), ('5', 37), ('5', -1), ('9', 8), ('1' * 4301, 4), ('-' + 'f' * 40, 16), ('3' * 77, 4), ('7' * 77, 8)):
    show('int ' + text[:20] + ' %d' % base, lambda: int(text, base))
show('bytes', lambda: int(b'9' * 4301))
show('bad bytes', lambda: int(b'x'))
for work in (lambda: str(10**4300), lambda: len(str(10**4299)), lambda: f'{10**4300:d}', lambda: '%d' % 10**4300, lambda: '{}'.format(10**5000),
             lambda: repr([10**5000]), lambda: '%s' % 10**4300, lambda: f'{10**4300:x}'[:20], lambda: f'{-(1 << 70):#x}', lambda: f'{10**30:,}',
             lambda: f'{1 << 70:_b}', lambda: f'{8**25:#o}', lambda: f'{16**20 + 255:X}', lambda: '%x' % (1 << 80), lambda: '%o' % -(1 << 80)):
    show('text', work)
for bits in (62, 63, 64, 65, 66, 67, 68, 127, 128, 129):
    n = (0x9e3779b97f4a7c15f39cc0605cedc834 << 64 | 0x243f6a8885a308d3) >> (192 - bits)
    print(bits, bin(n), oct(n), hex(n), bin(-n) == '-' + bin(n), int(bin(n), 2) == n, int(oct(-n), 8) == -n, int(hex(n), 0) == n, n.bit_count())
    print(n.to_bytes(17, 'little').hex(), (-n).to_bytes(17, 'big', signed=True).hex(), int.from_bytes(n.to_bytes(17, 'big'), 'big') == n,
          int.from_bytes((-n).to_bytes(17, 'little', signed=True), 'little', signed=True) == -n)
    print(math.isqrt(n), math.isqrt(n * n) == n, math.isqrt(n * n - 1) == n - 1, pow(n, n - 7, 10**20 + 39), pow(3, n, -(10**19 + 51)), pow(n, 0, 1))
print(math.isqrt(0), math.isqrt(1), math.isqrt(3), math.isqrt(4), int.from_bytes(b'', 'big'), int.from_bytes(b'\0\0', 'little'))

# Each of these is one pass over the digits.
huge = (1 << 3_000_000) + 12345
print(len(bin(huge)), len(oct(huge)), len(hex(-huge)), hex(huge)[-6:], huge.bit_count())
print(int(bin(huge), 2) == huge, int(oct(huge), 8) == huge, int(hex(-huge), 16) == -huge, int('v' * 600_000, 32).bit_length())
print(int.from_bytes(huge.to_bytes(400_000, 'little'), 'little') == huge, len(f'{huge:b}'), len('%x' % huge))
for work in (lambda: str(huge), lambda: int('1' * 3_000_000), lambda: int('1' * 3_000_000, 7)):
    show('huge', work)
