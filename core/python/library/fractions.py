# SPDX-License-Identifier: Apache-2.0
import math


class Fraction:
    def __init__(self, numerator=0, denominator=1):
        if isinstance(numerator, Fraction):
            numerator, denominator = numerator.numerator, numerator.denominator * denominator
        elif isinstance(numerator, float):
            numerator, denominator = numerator.as_integer_ratio()
        elif isinstance(numerator, str):
            text = numerator.strip()
            if '/' in text:
                numerator, denominator = [int(part) for part in text.split('/')]
            elif '.' in text:
                whole, part = text.split('.')
                numerator, denominator = int(whole + part), 10 ** len(part)
            else:
                numerator = int(text)
        elif isinstance(denominator, Fraction):
            numerator, denominator = numerator * denominator.denominator, denominator.numerator
        if denominator == 0:
            raise ZeroDivisionError(f'Fraction({numerator}, 0)')
        divisor = math.gcd(numerator, denominator)
        if denominator < 0:
            divisor = -divisor
        self.numerator = numerator // divisor
        self.denominator = denominator // divisor

    @staticmethod
    def _of(other):
        return other if isinstance(other, Fraction) else Fraction(other)

    def limit_denominator(self, max_denominator=1000000):
        if self.denominator <= max_denominator:
            return Fraction(self)
        p0, q0, p1, q1 = 0, 1, 1, 0
        n, d = self.numerator, self.denominator
        while True:
            a = n // d
            q2 = q0 + a * q1
            if q2 > max_denominator:
                break
            p0, q0, p1, q1 = p1, q1, p0 + a * p1, q2
            n, d = d, n - a * d
        k = (max_denominator - q0) // q1
        bound1 = Fraction(p0 + k * p1, q0 + k * q1)
        bound2 = Fraction(p1, q1)
        return bound2 if abs(bound2 - self) <= abs(bound1 - self) else bound1

    def __add__(self, other):
        if isinstance(other, float):
            return float(self) + other
        other = self._of(other)
        return Fraction(self.numerator * other.denominator + other.numerator * self.denominator, self.denominator * other.denominator)

    __radd__ = __add__

    def __neg__(self):
        return Fraction(-self.numerator, self.denominator)

    def __sub__(self, other):
        return float(self) - other if isinstance(other, float) else self + -self._of(other)

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if isinstance(other, float):
            return float(self) * other
        other = self._of(other)
        return Fraction(self.numerator * other.numerator, self.denominator * other.denominator)

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, float):
            return float(self) / other
        other = self._of(other)
        return Fraction(self.numerator * other.denominator, self.denominator * other.numerator)

    def __rtruediv__(self, other):
        return other / float(self) if isinstance(other, float) else self._of(other) / self

    def __floordiv__(self, other):
        return math.floor(self / other)

    def __mod__(self, other):
        return self - self._of(other) * (self // other)

    def __pow__(self, exponent):
        if not isinstance(exponent, int):
            return float(self) ** exponent
        if exponent >= 0:
            return Fraction(self.numerator ** exponent, self.denominator ** exponent)
        return Fraction(self.denominator ** -exponent, self.numerator ** -exponent)

    def __abs__(self):
        return Fraction(abs(self.numerator), self.denominator)

    def __float__(self):
        return self.numerator / self.denominator

    def __int__(self):
        return int(self.numerator / self.denominator) if abs(self.numerator) < 1 << 50 else (
            self.numerator // self.denominator if self.numerator >= 0 else -(-self.numerator // self.denominator))

    __trunc__ = __int__

    def __floor__(self):
        return self.numerator // self.denominator

    def __ceil__(self):
        return -(-self.numerator // self.denominator)

    def __round__(self, ndigits=None):
        floor, remainder = divmod(self.numerator, self.denominator)
        if remainder * 2 < self.denominator or (remainder * 2 == self.denominator and floor % 2 == 0):
            return floor
        return floor + 1

    def __bool__(self):
        return self.numerator != 0

    def __hash__(self):
        return hash(self.numerator) if self.denominator == 1 else hash((self.numerator, self.denominator))

    def __eq__(self, other):
        if isinstance(other, float):
            return float(self) == other
        if not isinstance(other, (int, Fraction)):
            return NotImplemented
        other = self._of(other)
        return self.numerator == other.numerator and self.denominator == other.denominator

    def __lt__(self, other):
        other = self._of(other)
        return self.numerator * other.denominator < other.numerator * self.denominator

    def __le__(self, other):
        return not self._of(other) < self

    def __gt__(self, other):
        return self._of(other) < self

    def __ge__(self, other):
        return not self < other

    def __repr__(self):
        return f'Fraction({self.numerator}, {self.denominator})'

    def __str__(self):
        return str(self.numerator) if self.denominator == 1 else f'{self.numerator}/{self.denominator}'
