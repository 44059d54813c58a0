# SPDX-License-Identifier: Apache-2.0
import math
from math import pi, sqrt, floor as fl

print(pi, math.e, math.tau, math.inf, -math.inf, math.nan)
print(sqrt(2), math.exp(1), math.log(10), math.log(8, 2), math.log2(8), math.log10(1000), math.log1p(0.5), math.expm1(0.5))
print(math.sin(1), math.cos(1), math.tan(1), math.atan2(1, -1), math.asin(0.5), math.sinh(1), math.tanh(0.3), math.degrees(pi), math.radians(180))
print(fl(2.7), math.ceil(2.1), math.trunc(-2.7), fl(-2.5), math.fabs(-3), math.fmod(7, 3), math.fmod(-7, 3), math.copysign(1, -0.0), math.remainder(7, 4))
print(math.factorial(10), math.comb(10, 3), math.perm(5, 2), math.gcd(12, 18), math.gcd(), math.lcm(4, 6), math.isqrt(17), math.prod([1, 2, 3, 4]), math.prod([], start=5))
print(math.hypot(3, 4), math.dist((0, 0), (3, 4)), math.fsum([0.1] * 10), math.isclose(0.1 + 0.2, 0.3), math.isclose(1, 1.1, rel_tol=0.2), math.isnan(math.nan), math.isinf(math.inf), math.isfinite(1))
print(math.erf(0.5), math.erfc(0.5), math.gamma(5), round(math.lgamma(10), 10), math.modf(2.5), math.frexp(8), math.ldexp(0.5, 3), math.pow(2, 0.5))
for bad in (lambda: math.sqrt(-1), lambda: math.log(0), lambda: math.exp(1000), lambda: math.factorial(-1), lambda: math.floor(math.inf), lambda: math.sqrt('a'), lambda: math.acos(2)):
    try:
        print(bad())
    except (ValueError, OverflowError, TypeError) as error:
        print(type(error).__name__, error)


def gelu(x):
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def softmax(xs):
    top = max(xs)
    exps = [math.exp(x - top) for x in xs]
    total = sum(exps)
    return [e / total for e in exps]


print([round(gelu(x / 2), 6) for x in range(-4, 5)], [f'{p:.4f}' for p in softmax([1, 2, 3])])


def newton(f, df, x, steps=20):
    for _ in range(steps):
        x -= f(x) / df(x)
    return x


print(newton(lambda x: x * x - 2, lambda x: 2 * x, 1.0), sum(1 / math.factorial(k) for k in range(15)))
warmup = [min(1.0, step / 10) * 0.5 * (1 + math.cos(pi * step / 40)) for step in range(0, 41, 8)]
print([round(w, 5) for w in warmup])
