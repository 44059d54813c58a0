from decimal import Decimal, ROUND_HALF_UP, getcontext, localcontext
from fractions import Fraction
print(Decimal('0.1') + Decimal('0.2'), Decimal(1) / Decimal(3), Decimal('1.10') * 3, Decimal(2).sqrt(), Decimal(10).ln(), Decimal(1).exp())
print(Decimal('2.675').quantize(Decimal('0.01')), Decimal('2.675').quantize(Decimal('0.01'), rounding=ROUND_HALF_UP), Decimal('123.4500').normalize())
print(Decimal('-7') // 2, Decimal('-7') % 3, Decimal('1E+3'), Decimal(0.1), Decimal('1e-10'), Decimal(10) ** -2, Decimal('1.5') ** 3)
print(Decimal('NaN'), Decimal('-Infinity'), Decimal('3.7').to_integral_value(), int(Decimal('-3.7')), round(Decimal('2.5')), float(Decimal('1.25')))
print(Decimal('1.0') == 1, Decimal('1.1') < 1.2, f"{Decimal('3.14159'):.2f}", max(Decimal(1), Decimal(2)), sum([Decimal('0.1')] * 10), repr(Decimal('2')))
with localcontext() as context:
    context.prec = 5
    print(Decimal(1) / Decimal(7), getcontext().prec)
print(getcontext().prec)
half = Fraction(1, 2)
print(half, half + Fraction(1, 3), half * 2, half - 1, half / 3, half ** 3, Fraction('0.75'), Fraction(0.5), Fraction(6, -4), repr(half))
print(float(half), int(Fraction(7, 2)), round(Fraction(5, 2)), half < Fraction(2, 3), half == 0.5, Fraction(3.14159).limit_denominator(100), abs(-half))
