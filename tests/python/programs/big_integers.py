"""Integers beyond 64 bits."""
import json
import math
import random

big = 2**100
print(big, -big, +big, ~big, abs(-big), bool(big), type(big), isinstance(big, int), big.__class__.__name__)
print(2**63 - 1, 2**63, -2**63, -2**63 - 1, 9223372036854775807 + 1, -9223372036854775808 - 1)
print(9223372036854775808, 123456789012345678901234567890, 0xffffffffffffffffffff, 0b1 << 70, -99999999999999999999, 1_000_000_000_000_000_000_000)
print(big + 1, big - 1, big * big, big // 3, big % 7, -big // 3, -big % 7, big // -3, big % -7, divmod(big, 1000), divmod(-big, 1000))
print(big - big, type(big - big), big // big, (big + 5) - big, 2**70 // 2**60)
print(big / 3, 10**400 / 10**399, 1 / big, (2**64 + 1) / 2**64, (2**53 + 1) / 1, (10**18 + 1) / 3)
print(3**200, (-3)**101, 2**-3, big**2, big**0, 0**big, 1**big, (-1)**(big + 1), 7**77 % 1000)
print(pow(3, 10**20, 10**9 + 7), pow(2, -1, 7), pow(10**30, 3, 10**25 + 13), pow(5, 3, -7), pow(38, -1, 97))
print(1 << 64, (1 << 100) >> 98, -1 >> 200, -big >> 3, big >> 100, big >> 101, -5 >> 1, 5 << 62, -7 << 63)
print(big & (big - 1), big | 1, big ^ -1, -big & 0xff, -big | 3, (-big) ^ big, ~big & big, -1 & big)
print(big > 1, big < 1.5, big == 2.0**100, 2.0**100 == big, big != big + 1, big >= big, big > float('inf'), big < float('inf'), big == float('nan'))
print(2**53 + 1 > 2.0**53, 10**30 > 1e30, 10**30 == 1e30, sorted([big, 1, -big, 2.5, big + 1]), max(big, 3), min(-big, 3), sum([big, big, 1]))
print(float(big), int(1e30), int(-1e25), int(2.0**63), int(float(2**80)), round(1e25), math.floor(1e20), math.ceil(-1e20), math.trunc(1e19))
print(int('123456789012345678901234567890'), int('-9223372036854775809'), int('ff' * 10, 16), int('0x' + 'f' * 20, 0), int('z' * 15, 36), int('1' * 70, 2))
print(hex(big), bin(2**65), oct(2**66), hex(-big), f'{big:x}', f'{big:,}', f'{big:_}', f'{big:>40}', f'{-big:+d}', f'{big:e}', f'{big:.3g}', f'{2**70:#X}', f'{2**70:_b}')
print('%d %x %s %r %e %10d|' % (big, big, big, big, big, big), '{:d} {}'.format(big, -big), str(big)[:5], repr(big), len(str(3**500)))
print(big.bit_length(), (-big).bit_length(), (2**64 - 1).bit_count(), big.bit_count(), big.real, big.imag, big.numerator, big.denominator, (2**64).conjugate())
print((2**70).to_bytes(10, 'big'), (258).to_bytes(2, 'little'), (-2).to_bytes(3, 'big', signed=True), int.from_bytes(b'\x01\x00', 'big'),
      int.from_bytes(b'\xff' * 9, 'little'), int.from_bytes(b'\xff\xfe', 'big', signed=True))
print(math.factorial(30), math.comb(100, 50), math.perm(30, 20), math.gcd(10**30, 6**40), math.lcm(2**40, 3**30), math.isqrt(10**40), math.prod([10**10] * 3))
print(math.log(10**400), math.log2(2**200), math.log10(10**300), math.sqrt(10**40), math.log(2**70, 2))
print(hash(2**61 - 1), hash(2**61), hash(2**64), hash(-2**64), hash(10**30), hash(big) == hash(2.0**100), {big: 'a'}[2**100], big in {2**100, 1})
print(json.dumps({'n': 2**80}), json.loads('123456789012345678901'), round(123456789012345678901234, -3), round(-15, -1), round(25, -1), round(2**70), round(big, 2))
print([i for i in range(3)][-1], 'ab' * 2, [0] * 2, list(range(2**40, 2**40 + 2)))
random.seed(3)
print(random.getrandbits(128), random.getrandbits(65), random.getrandbits(64), random.getrandbits(33))


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def is_prime(n):
    if n < 2:
        return False
    for p in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        if n % p == 0:
            return n == p
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for a in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


print(fibonacci(300), [n for n in (2**89 - 3 + i for i in range(3)) if is_prime(n)], is_prime(2**127 - 1))
state = 12345
values = []
for _ in range(4):
    state = (state * 6364136223846793005 + 1442695040888963407) & 0xffffffffffffffff
    values.append(state >> 33)
print(values, state)
h = 14695981039346656037
for c in b'hello':
    h = ((h ^ c) * 1099511628211) % 2**64
print(h, h.to_bytes(8, 'big').hex())
x = big
x += 1
x *= 2
x //= 3
x -= 5
x <<= 3
x >>= 1
x |= 1
x ^= 7
x &= -2
x %= 10**25
print(x, -(-x), divmod(x, -7))


class Money(int):
    pass


m = Money(2**70)
print(m + 1, m * 2, repr(m), m > 5, hex(m), isinstance(m, Money), int(m), hash(m) == hash(2**70), '%d' % m)
for bad in (lambda: big / 0, lambda: big // 0, lambda: big % 0, lambda: 1 << -1, lambda: big << -1, lambda: float(10**400), lambda: 10**400 * 1.5,
            lambda: [1][big], lambda: 'a' * big, lambda: big + 'a', lambda: int('9' * 5000), lambda: str(10**5000), lambda: pow(2, -1, 4), lambda: pow(2, 3, 0),
            lambda: (2**70).to_bytes(3, 'big'), lambda: (-1).to_bytes(3, 'big'), lambda: big < 'a', lambda: int(float('nan')), lambda: big.foo, lambda: big(),
            lambda: [1, 2][:big], lambda: 0**-1, lambda: chr(big), lambda: big @ big, lambda: int('12x' * 10), lambda: math.isqrt(-big)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
