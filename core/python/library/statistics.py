# SPDX-License-Identifier: Apache-2.0
import math
from collections import Counter


class StatisticsError(ValueError):
    pass


def _values(data, name, least=1):
    data = list(data)
    if len(data) < least:
        raise StatisticsError(name)
    return data


def _shaped(value, data):
    if all(isinstance(x, int) for x in data) and isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


# Sums of fractions lose nothing: two integers each.
def _fraction(x):
    if isinstance(x, int):
        return int(x), 1
    mantissa, exponent = math.frexp(x)
    mantissa, exponent = int(mantissa * 2**53), exponent - 53
    return (mantissa << exponent, 1) if exponent >= 0 else (mantissa, 1 << -exponent)


def _sum(fractions):
    top, bottom = 0, 1
    for n, d in fractions:
        if d == bottom:
            top += n
        else:
            top, bottom = top * d + n * bottom, bottom * d
            common = math.gcd(top, bottom)
            top, bottom = top // common, bottom // common
    return top, bottom


def _usable(data):
    return all(isinstance(x, int) or (isinstance(x, float) and math.isfinite(x)) for x in data)


def mean(data):
    data = _values(data, 'mean requires at least one data point')
    if not _usable(data):
        return sum(data) / len(data)
    top, bottom = _sum(_fraction(x) for x in data)
    return _shaped(top / (bottom * len(data)), data)


def fmean(data, weights=None):
    data = _values(data, 'fmean requires at least one data point')
    if weights is None:
        return math.fsum(data) / len(data)
    weights = list(weights)
    return math.fsum(x * w for x, w in zip(data, weights)) / math.fsum(weights)


def geometric_mean(data):
    data = _values(data, 'geometric mean requires a non-empty dataset containing positive numbers')
    return math.exp(fmean(map(math.log, data)))


def harmonic_mean(data, weights=None):
    data = _values(data, 'harmonic_mean requires at least one data point')
    if any(x < 0 for x in data):
        raise StatisticsError('harmonic mean does not support negative values')
    if any(x == 0 for x in data):
        return 0
    top, bottom = _sum((d, n) for n, d in map(_fraction, data))
    return _shaped(len(data) * bottom / top, [0.5])


def median(data):
    data = sorted(_values(data, 'no median for empty data'))
    n = len(data)
    return data[n // 2] if n % 2 else (data[n // 2 - 1] + data[n // 2]) / 2


def median_low(data):
    data = sorted(_values(data, 'no median for empty data'))
    return data[(len(data) - 1) // 2]


def median_high(data):
    data = sorted(_values(data, 'no median for empty data'))
    return data[len(data) // 2]


def mode(data):
    data = _values(data, 'no mode for empty data')
    return Counter(data).most_common(1)[0][0]


def multimode(data):
    counts = Counter(data)
    most = max(counts.values(), default=0)
    return [value for value, count in counts.items() if count == most]


def quantiles(data, *, n=4, method='exclusive'):
    data = sorted(_values(data, 'must have at least two data points', 2))
    ends = len(data) - 1 if method == 'inclusive' else len(data) + 1
    out = []
    for i in range(1, n):
        j, delta = divmod(i * ends, n)
        if method == 'inclusive':
            out.append((data[j] * (n - delta) + data[j + 1] * delta) / n)
        else:
            j = min(max(i * ends // n, 1), len(data) - 1)
            delta = i * ends - j * n
            out.append((data[j - 1] * (n - delta) + data[j] * delta) / n)
    return out


def _squares(data, center):
    return math.fsum((x - center) ** 2 for x in data)


# The sum of squares around the mean times how many there are.
def _spread(data):
    fractions = [_fraction(x) for x in data]
    top, bottom = _sum(fractions)
    square_top, square_bottom = _sum((n * n, d * d) for n, d in fractions)
    count = len(data)
    return _sum([(count * square_top, square_bottom), (-top * top, bottom * bottom)])


def pvariance(data, mu=None):
    data = _values(data, 'pvariance requires at least one data point')
    if mu is not None or not _usable(data):
        return _shaped(_squares(data, fmean(data) if mu is None else mu) / len(data), data)
    top, bottom = _spread(data)
    return _shaped(top / (bottom * len(data) * len(data)), data)


def variance(data, xbar=None):
    data = _values(data, 'variance requires at least two data points', 2)
    if xbar is not None or not _usable(data):
        return _shaped(_squares(data, fmean(data) if xbar is None else xbar) / (len(data) - 1), data)
    top, bottom = _spread(data)
    return _shaped(top / (bottom * len(data) * (len(data) - 1)), data)


def stdev(data, xbar=None):
    data = _values(data, 'stdev requires at least two data points', 2)
    return math.sqrt(variance(data, xbar))


def pstdev(data, mu=None):
    data = _values(data, 'pstdev requires at least one data point')
    return math.sqrt(pvariance(data, mu))


def covariance(x, y):
    x, y = list(x), list(y)
    if len(x) != len(y):
        raise StatisticsError('covariance requires that both inputs have same number of data points')
    mx, my = fmean(x), fmean(y)
    return math.fsum((a - mx) * (b - my) for a, b in zip(x, y)) / (len(x) - 1)


def correlation(x, y):
    x, y = list(x), list(y)
    mx, my = fmean(x), fmean(y)
    return math.fsum((a - mx) * (b - my) for a, b in zip(x, y)) / math.sqrt(_squares(x, mx) * _squares(y, my))
