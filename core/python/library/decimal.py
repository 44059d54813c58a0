# SPDX-License-Identifier: Apache-2.0
# Numbers with decimal digits, exact up to the precision of the context: IEEE 854's arithmetic without its signals.
import math

ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_DOWN, ROUND_UP = ('ROUND_HALF_EVEN', 'ROUND_HALF_UP', 'ROUND_HALF_DOWN',
                                                                         'ROUND_DOWN', 'ROUND_UP')
ROUND_FLOOR, ROUND_CEILING, ROUND_05UP = 'ROUND_FLOOR', 'ROUND_CEILING', 'ROUND_05UP'


class DecimalException(ArithmeticError):
    pass


class InvalidOperation(DecimalException):
    pass


class DivisionByZero(DecimalException, ZeroDivisionError):
    pass


class Context:
    def __init__(self, prec=28, rounding=ROUND_HALF_EVEN, **kwargs):
        self.prec = prec
        self.rounding = rounding

    def copy(self):
        return Context(self.prec, self.rounding)

    def create_decimal(self, value='0'):
        return Decimal(value)._fixed(self)


_context = Context()


def getcontext():
    return _context


def setcontext(context):
    global _context
    _context = context


class localcontext:
    def __init__(self, ctx=None, **kwargs):
        self._new = (ctx or _context).copy()
        for name, value in kwargs.items():
            setattr(self._new, name, value)

    def __enter__(self):
        self._before = _context
        setcontext(self._new)
        return self._new

    def __exit__(self, *exception):
        setcontext(self._before)
        return False


def _rounded(number, divisor, rounding):
    """number / divisor as an int; number is not negative where a sign matters: sign comes with it."""
    sign = -1 if number < 0 else 1
    whole, rest = divmod(abs(number), divisor)
    if rest == 0:
        return sign * whole
    twice = 2 * rest
    up = {ROUND_HALF_EVEN: twice > divisor or (twice == divisor and whole % 2 == 1), ROUND_HALF_UP: twice >= divisor,
          ROUND_HALF_DOWN: twice > divisor, ROUND_DOWN: False, ROUND_UP: True, ROUND_FLOOR: sign < 0, ROUND_CEILING: sign > 0,
          ROUND_05UP: whole % 10 in (0, 5)}[rounding]
    return sign * (whole + (1 if up else 0))


class Decimal:
    """_int * 10 ** _exp; _special is 'Infinity', '-Infinity' or 'NaN'."""

    def __init__(self, value='0', context=None):
        self._special = None
        self._negative = False
        if isinstance(value, Decimal):
            self._int, self._exp, self._special, self._negative = value._int, value._exp, value._special, value._negative
        elif isinstance(value, int):
            self._int, self._exp = int(value), 0
            self._negative = value < 0
        elif isinstance(value, float):
            if math.isinf(value) or math.isnan(value):
                self._int, self._exp = 0, 0
                self._special = 'NaN' if math.isnan(value) else 'Infinity' if value > 0 else '-Infinity'
            else:
                numerator, denominator = value.as_integer_ratio()
                twos = denominator.bit_length() - 1
                self._int, self._exp = numerator * 5 ** twos, -twos
                self._negative = value < 0 or (value == 0 and math.copysign(1, value) < 0)
        elif isinstance(value, (tuple, list)):
            sign, digits, self._exp = value
            self._int = int(''.join(str(digit) for digit in digits) or '0') * (-1 if sign else 1)
            self._negative = bool(sign)
        else:
            self._parse(str(value).strip().replace('_', ''))

    def _parse(self, text):
        lower = text.lower().lstrip('+-')
        self._negative = text.startswith('-')
        self._int, self._exp = 0, 0
        if lower in ('inf', 'infinity'):
            self._special = '-Infinity' if self._negative else 'Infinity'
            return
        if lower in ('nan', 'snan'):
            self._special = 'NaN'
            return
        mantissa, _, exponent = lower.partition('e')
        whole, _, part = mantissa.partition('.')
        if not (whole + part).isdigit() or ('e' in lower and not exponent.lstrip('+-').isdigit()):
            raise InvalidOperation("[<class 'decimal.ConversionSyntax'>]")
        self._int = int(whole + part) * (-1 if self._negative else 1)
        self._exp = (int(exponent) if exponent else 0) - len(part)

    @classmethod
    def _of(cls, number, exp, negative=None):
        made = object.__new__(Decimal)
        made._int, made._exp, made._special = number, exp, None
        made._negative = number < 0 if negative is None else negative
        return made

    @classmethod
    def from_float(cls, value):
        return cls(value)

    def _fixed(self, context=None):
        context = context or _context
        digits = len(str(abs(self._int)))
        if self._special or digits <= context.prec:
            return self
        drop = digits - context.prec
        number = _rounded(self._int, 10 ** drop, context.rounding)
        made = Decimal._of(number, self._exp + drop)
        return made._fixed(context) if len(str(abs(number))) > context.prec else made

    def is_nan(self):
        return self._special == 'NaN'

    def is_infinite(self):
        return self._special in ('Infinity', '-Infinity')

    def is_finite(self):
        return self._special is None

    def is_zero(self):
        return self._special is None and self._int == 0

    def is_signed(self):
        return self._negative

    def adjusted(self):
        return self._exp + len(str(abs(self._int))) - 1

    def as_tuple(self):
        from collections import namedtuple
        kind = namedtuple('DecimalTuple', 'sign digits exponent')
        return kind(int(self._negative), tuple(int(digit) for digit in str(abs(self._int))), self._exp)

    def as_integer_ratio(self):
        if self._exp >= 0:
            return self._int * 10 ** self._exp, 1
        divisor = math.gcd(self._int, 10 ** -self._exp)
        return self._int // divisor, 10 ** -self._exp // divisor

    @staticmethod
    def _operand(other):
        if isinstance(other, Decimal):
            return other
        return Decimal(other) if isinstance(other, int) else None

    def _special_result(self, other, function):
        return Decimal(function(float(self), float(other)))

    @staticmethod
    def _aligned(a, b):
        exp = min(a._exp, b._exp)
        return a._int * 10 ** (a._exp - exp), b._int * 10 ** (b._exp - exp), exp

    def __add__(self, other):
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if self._special or other._special:
            return self._special_result(other, lambda x, y: x + y)
        x, y, exp = self._aligned(self, other)
        return Decimal._of(x + y, exp)._fixed()

    __radd__ = __add__

    def __neg__(self):
        if self._special:
            return Decimal(-float(self))
        return Decimal._of(-self._int, self._exp)._fixed()

    def __pos__(self):
        return self._fixed()

    def __abs__(self):
        return Decimal(abs(float(self))) if self._special else Decimal._of(abs(self._int), self._exp)._fixed()

    def __sub__(self, other):
        other = self._operand(other)
        return NotImplemented if other is None else self + (Decimal(-float(other)) if other._special else Decimal._of(-other._int, other._exp))

    def __rsub__(self, other):
        other = self._operand(other)
        return NotImplemented if other is None else other - self

    def __mul__(self, other):
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if self._special or other._special:
            return self._special_result(other, lambda x, y: x * y)
        return Decimal._of(self._int * other._int, self._exp + other._exp, self._negative != other._negative)._fixed()

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if self._special or other._special:
            return self._special_result(other, lambda x, y: x / y)
        if other._int == 0:
            if self._int == 0:
                raise InvalidOperation("[<class 'decimal.DivisionUndefined'>]")
            raise DivisionByZero("[<class 'decimal.DivisionByZero'>]")
        exp = self._exp - other._exp
        sign = -1 if (self._int < 0) != (other._int < 0) else 1
        if self._int == 0:
            return Decimal._of(0, exp)
        a, b = abs(self._int), abs(other._int)
        shift = max(0, len(str(b)) - len(str(a)) + _context.prec + 1)
        number, rest = divmod(a * 10 ** shift, b)
        ideal = exp
        exp -= shift
        if rest:
            # A digit that keeps the rounding honest.
            if number % 5 == 0:
                number += 1
            return Decimal._of(sign * number, exp)._fixed()
        while exp < ideal and number % 10 == 0:
            number //= 10
            exp += 1
        return Decimal._of(sign * number, exp)._fixed()

    def __rtruediv__(self, other):
        other = self._operand(other)
        return NotImplemented if other is None else other / self

    def _divided(self, other):
        x, y, exp = self._aligned(self, other)
        if y == 0:
            raise (DivisionByZero("[<class 'decimal.DivisionByZero'>]") if x else InvalidOperation("[<class 'decimal.DivisionUndefined'>]"))
        whole = abs(x) // abs(y)
        whole = -whole if (x < 0) != (y < 0) else whole
        return whole, x - whole * y, exp

    def __floordiv__(self, other):
        other = self._operand(other)
        return NotImplemented if other is None else Decimal._of(self._divided(other)[0], 0)

    def __mod__(self, other):
        other = self._operand(other)
        if other is None:
            return NotImplemented
        _, rest, exp = self._divided(other)
        return Decimal._of(rest, exp)._fixed()

    def __rmod__(self, other):
        return self._operand(other) % self

    def __rfloordiv__(self, other):
        return self._operand(other) // self

    def __divmod__(self, other):
        return self // other, self % other

    def __pow__(self, other, modulo=None):
        other = self._operand(other)
        if other is None:
            return NotImplemented
        if other._exp >= 0 or other == other.to_integral_value():
            power = int(other)
            if power < 0:
                return Decimal(1) / self ** -power
            with localcontext(prec=_context.prec + 4 + len(str(power))):
                result, base = Decimal(1), self
                while power:
                    if power & 1:
                        result = result * base
                    base = base * base
                    power >>= 1
            return result._fixed()
        return (self.ln() * other).exp()

    def __rpow__(self, other):
        return self._operand(other) ** self

    def sqrt(self, context=None):
        if self._special == 'Infinity':
            return self
        if self._int < 0:
            raise InvalidOperation("[<class 'decimal.InvalidOperation'>]")
        if self._int == 0:
            return Decimal._of(0, self._exp // 2)
        prec = (context or _context).prec + 1
        number, exp = self._int, self._exp
        ideal = exp // 2
        shift = max(0, 2 * prec - len(str(number)) + 1)
        if (exp - shift) % 2:
            shift += 1
        number *= 10 ** shift
        exp -= shift
        root = math.isqrt(number)
        exact = root * root == number
        exp //= 2
        if exact:
            while exp < ideal and root % 10 == 0:
                root //= 10
                exp += 1
        elif root % 5 == 0:
            root += 1
        return Decimal._of(root, exp)._fixed(context)

    def exp(self, context=None):
        with localcontext(prec=_context.prec + 10):
            halvings = max(0, self.adjusted() + 1) * 4 + 4
            x = self / (1 << halvings)
            term = total = Decimal(1)
            i = 0
            while term != 0 and abs(term) > Decimal._of(1, -_context.prec - 5):
                i += 1
                term = term * x / i
                total = total + term
            for _ in range(halvings):
                total = total * total
        return total._fixed()

    def ln(self, context=None):
        if self <= 0:
            raise InvalidOperation("[<class 'decimal.InvalidOperation'>]")
        if self == 1:
            return Decimal(0)
        with localcontext(prec=_context.prec + 10):
            exponent = self.adjusted() if abs(self.adjusted()) > 300 else 0
            x = self.scaleb(-exponent)
            y = Decimal(math.log(float(x)))
            for _ in range(3):
                e = y.exp()
                y = y + 2 * (x - e) / (x + e)
            if exponent:
                y = y + exponent * Decimal(10).ln()
        return y._fixed()

    def log10(self, context=None):
        with localcontext(prec=_context.prec + 6):
            result = self.ln() / Decimal(10).ln()
        whole = result.to_integral_value()
        if Decimal(10) ** whole == self:
            return whole
        return result._fixed()

    def scaleb(self, other, context=None):
        return Decimal._of(self._int, self._exp + int(other))

    def quantize(self, exp, rounding=None, context=None):
        exp = Decimal(exp)._exp
        rounding = rounding or _context.rounding
        if exp <= self._exp:
            number = self._int * 10 ** (self._exp - exp)
        else:
            number = _rounded(self._int, 10 ** (exp - self._exp), rounding)
        if len(str(abs(number))) > _context.prec:
            raise InvalidOperation("[<class 'decimal.InvalidOperation'>]")
        return Decimal._of(number, exp, self._negative)

    def to_integral_value(self, rounding=None, context=None):
        return self if self._special or self._exp >= 0 else Decimal._of(
            _rounded(self._int, 10 ** -self._exp, rounding or _context.rounding), 0, self._negative)

    to_integral = to_integral_exact = to_integral_value

    def normalize(self, context=None):
        made = self._fixed()
        if made._int == 0:
            return Decimal._of(0, 0, made._negative)
        number, exp = made._int, made._exp
        while number % 10 == 0:
            number //= 10
            exp += 1
        return Decimal._of(number, exp)

    def copy_abs(self):
        return Decimal._of(abs(self._int), self._exp)

    def copy_sign(self, other):
        return Decimal._of(-abs(self._int) if other._negative else abs(self._int), self._exp)

    def max(self, other):
        return self if self >= other else Decimal(other)

    def min(self, other):
        return self if self <= other else Decimal(other)

    def compare(self, other):
        return Decimal((self > other) - (self < other))

    def __float__(self):
        if self._special:
            return float(self._special)
        return float(f'{self._int}e{self._exp}')

    def __int__(self):
        if self._special:
            raise (ValueError('cannot convert NaN to integer') if self.is_nan() else OverflowError('cannot convert Infinity to integer'))
        if self._exp >= 0:
            return self._int * 10 ** self._exp
        return _rounded(self._int, 10 ** -self._exp, ROUND_DOWN)

    __trunc__ = __int__

    def __floor__(self):
        return int(self.to_integral_value(ROUND_FLOOR))

    def __ceil__(self):
        return int(self.to_integral_value(ROUND_CEILING))

    def __round__(self, ndigits=None):
        return int(self.to_integral_value(ROUND_HALF_EVEN)) if ndigits is None else self.quantize(Decimal._of(1, -ndigits))

    def __bool__(self):
        return self._special is not None or self._int != 0

    def _order(self, other):
        """Negative, zero or positive; None where they have none."""
        if isinstance(other, float):
            other = Decimal(other)
        other = self._operand(other)
        if other is None or self.is_nan() or other.is_nan():
            return None
        if self._special or other._special:
            x, y = float(self), float(other)
            return (x > y) - (x < y)
        x, y, _ = self._aligned(self, other)
        return (x > y) - (x < y)

    def __eq__(self, other):
        if not isinstance(other, (int, float, Decimal)):
            return NotImplemented
        return self._order(other) == 0

    def __lt__(self, other):
        order = self._order(other)
        return order is not None and order < 0

    def __le__(self, other):
        order = self._order(other)
        return order is not None and order <= 0

    def __gt__(self, other):
        order = self._order(other)
        return order is not None and order > 0

    def __ge__(self, other):
        order = self._order(other)
        return order is not None and order >= 0

    def __hash__(self):
        numerator, denominator = self.as_integer_ratio()
        return hash(numerator) if denominator == 1 else hash(float(self))

    def __str__(self):
        if self._special:
            return self._special
        sign = '-' if self._negative else ''
        digits = str(abs(self._int))
        point = len(digits) + self._exp
        if self._exp <= 0 and point > -6:
            place = point
        else:
            place = 1
        if place <= 0:
            whole, part = '0', '.' + '0' * -place + digits
        elif place >= len(digits):
            whole, part = digits + '0' * (place - len(digits)), ''
        else:
            whole, part = digits[:place], '.' + digits[place:]
        return sign + whole + part + ('' if point == place else f'E{point - place:+d}')

    def __repr__(self):
        return f"Decimal('{self}')"

    def __format__(self, spec):
        if not spec:
            return str(self)
        if spec[-1] in 'fF' and '.' in spec:
            digits = int(spec[spec.index('.') + 1:-1])
            text = str(self.quantize(Decimal._of(1, -digits), ROUND_HALF_EVEN))
            width = spec[:spec.index('.')]
            return format(text, '>' + width.lstrip('0')) if width else text
        return format(float(self), spec)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return Decimal, (str(self),)
