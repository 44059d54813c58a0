# SPDX-License-Identifier: Apache-2.0
def bits(n, width=8):
    return format(n & (1 << width) - 1, f'0{width}b')


def popcount(n):
    count = 0
    while n:
        n &= n - 1
        count += 1
    return count


def gray(n):
    return n ^ (n >> 1)


print([bits(v) for v in (5, -1, 255, 128)], [popcount(v) for v in (0, 1, 255, 1023)], [gray(v) for v in range(8)])


class LCG:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (1103515245 * self.state + 12345) % 2 ** 31
        return self.state

    def uniform(self):
        return self.next() / 2 ** 31


rng = LCG(42)
print([rng.next() for _ in range(4)], [round(rng.uniform(), 6) for _ in range(3)])


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def egcd(a, b):
    if not b:
        return a, 1, 0
    g, x, y = egcd(b, a % b)
    return g, y, x - a // b * y


def is_prime(n):
    if n < 2:
        return False
    for p in (2, 3, 5, 7, 11, 13):
        if n % p == 0:
            return n == p
    d, r = n - 1, 0
    while d % 2 == 0:
        d //= 2
        r += 1
    for a in (2, 3, 5, 7, 11, 13):
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(r - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


print(gcd(48, 36), egcd(240, 46), [n for n in range(100, 130) if is_prime(n)], is_prime(1000003), is_prime(1000001))


def to_base(n, base):
    digits = ''
    while n:
        n, d = divmod(n, base)
        digits = '0123456789abcdefghijklmnopqrstuvwxyz'[d] + digits
    return digits or '0'


print(to_base(255, 2), to_base(255, 16), to_base(12345, 36), int(to_base(12345, 36), 36), to_base(0, 7))


class Fraction:
    def __init__(self, n, d=1):
        g = gcd(abs(n), abs(d)) or 1
        sign = -1 if (n < 0) != (d < 0) else 1
        self.n, self.d = sign * abs(n) // g, abs(d) // g

    def __add__(self, o):
        o = o if isinstance(o, Fraction) else Fraction(o)
        return Fraction(self.n * o.d + o.n * self.d, self.d * o.d)

    __radd__ = __add__

    def __mul__(self, o):
        o = o if isinstance(o, Fraction) else Fraction(o)
        return Fraction(self.n * o.n, self.d * o.d)

    def __truediv__(self, o):
        return self * Fraction(o.d, o.n)

    def __rsub__(self, o):
        return Fraction(o) + self * -1

    def __eq__(self, o):
        return (self.n, self.d) == (o.n, o.d)

    def __lt__(self, o):
        return self.n * o.d < o.n * self.d

    def __float__(self):
        return self.n / self.d

    def __repr__(self):
        return f'{self.n}/{self.d}' if self.d != 1 else str(self.n)


half, third = Fraction(1, 2), Fraction(1, 3)
print(half + third, half * third, half / third, 1 - half, sum([half, third, Fraction(1, 6)]), float(third), sorted([half, third]), Fraction(-4, 8), Fraction(3, -9))


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


print([collatz(n) for n in (1, 7, 27, 97)], max(range(1, 100), key=collatz))
print([round(v, 10) for v in (sum((-1) ** k / (2 * k + 1) for k in range(1000)) * 4, (1 + 1 / 1000) ** 1000)])
print(1e3 == 1000, 0.1 + 0.2 == 0.3, abs(0.1 + 0.2 - 0.3) < 1e-9, 7 // 2, -7 // 2, 7 % -3, -7 % 3, 7.5 // 2, -7.5 % 2, 2 ** -2, int(-2.7), round(-2.5), round(0.5), round(1.5))
print(float('nan') == float('nan'), float('inf') > 10 ** 18, -float('inf') < 0, 1e308 * 10, 5 / 2, 4 / 2, 10 ** -3, 0b1010 ^ 0b0110, 0x1F << 2, True << 3)
hash_value = 5381
for ch in 'tensor':
    hash_value = ((hash_value << 5) + hash_value + ord(ch)) & 0xFFFFFFFF
print(hash_value, hex(hash_value), hash_value.bit_length())
