# SPDX-License-Identifier: Apache-2.0
"""Counts, bounds and moments of elements, added up piece by piece; see core/record/statistics.h."""

import math

import torch

LOWEST = -40
BINS = 64
_IN_CACHE = 1 << 18  # elements
_WORTH_PAIRING = 1 << 15  # likewise

# Between these the squares of float32 and float64 keep their digits, also added up over a piece.
_SAFE = {torch.float32: (1e-15, 1e15), torch.float64: (1e-140, 1e140)}


class Moments:
    """mean, variance and absolute_mean are those of the finite elements divided by 2^power (variance: by 4^power)."""

    __slots__ = (
        "count",
        "nan",
        "inf",
        "zero",
        "low",
        "high",
        "power",
        "mean",
        "variance",
        "absolute_mean",
        "exponents",
    )

    def __init__(self, count=0):
        self.count = count
        self.nan = self.inf = self.zero = self.power = 0
        self.low, self.high = math.inf, -math.inf
        self.mean = self.variance = self.absolute_mean = 0.0
        self.exponents = [0] * BINS

    @property
    def finite(self):
        return self.count - self.nan - self.inf

    def add(self, other):
        """By Chan, Golub and LeVeque's update."""
        if self.count == 0:
            for name in self.__slots__:
                setattr(self, name, getattr(other, name))
            return
        mine, its = self.finite, other.finite
        self.count += other.count
        self.nan += other.nan
        self.inf += other.inf
        if its == 0:
            return
        self.zero += other.zero
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        self.exponents = [a + b for a, b in zip(self.exponents, other.exponents)]
        power = max(self.power, other.power) if mine else other.power
        mean, variance, absolute = self._at(power)
        its_mean, its_variance, its_absolute = other._at(power)
        whole = mine + its
        apart = its_mean - mean
        self.power = power
        self.mean = mean + apart * its / whole
        self.variance = (variance * mine + its_variance * its + apart * apart * mine * its / whole) / whole
        self.absolute_mean = (absolute * mine + its_absolute * its) / whole

    def _at(self, power):
        down = self.power - power
        if down == 0:
            return self.mean, self.variance, self.absolute_mean
        return (
            math.ldexp(self.mean, down),
            math.ldexp(self.variance, 2 * down),
            math.ldexp(self.absolute_mean, down),
        )


def real(tensor):
    """As float32 or float64; complex ones by their magnitudes."""
    if tensor.is_complex():
        if tensor.dtype == getattr(torch, "complex32", None):
            tensor = tensor.to(torch.complex64)
        return tensor.abs()
    if not tensor.is_floating_point():
        return tensor.to(torch.float64)
    return tensor if tensor.dtype in _SAFE else tensor.to(torch.float32)


def _exponents(x):
    """Of finite float32 or float64: how many non-zero ones have a magnitude in [2^(i-1+LOWEST), 2^(i+LOWEST)); the ends
    take the rest. Zeros are among the least."""
    if x.dtype == torch.float64:
        bits, shift, bias = x.view(torch.int64), 52, 1022
    else:
        bits, shift, bias = x.view(torch.int32), 23, 126
    bins = [0] * BINS
    for part in bits.split(_IN_CACHE):
        paired = part.numel() // 2 * 2 if shift == 23 and part.numel() >= _WORTH_PAIRING else 0
        found = [_bins_of_pairs(part[:paired])] if paired else []
        if paired < part.numel():
            found.append(_bins(part[paired:], shift, bias))
        bins = [sum(counts) for counts in zip(bins, *found)]
    return bins


def _bins(bits, shift, bias):
    exponents = bits >> shift
    exponents &= 2 * bias + 3
    counts = torch.bincount(exponents, minlength=2 * bias + 4).tolist()
    first = bias + LOWEST  # the biased exponent of the first bin
    return [sum(counts[: first + 1])] + counts[first + 1 : first + BINS - 1] + [sum(counts[first + BINS - 1 :])]


def _bins_of_pairs(bits):
    """Of an even number of float32's: two at a time, which is half the counting, and equal ones do not wait for each
    other."""
    first = 126 + LOWEST
    exponents = (bits >> 23).to(torch.uint8)  # without the sign
    pairs = exponents.clamp_(first, first + BINS - 1).sub_(first).view(torch.int16)
    counts = torch.bincount(pairs, minlength=BINS * 256).view(BINS, 256)
    return (counts.sum(0)[:BINS] + counts.sum(1)).tolist()


def _zeros(x):
    """A comparison that writes floats is several times faster than one that writes bools, or than count_nonzero(); of a
    piece their sum is exact."""
    return int(torch.eq(x, 0, out=torch.empty_like(x)).sum())


def _of_bools(x, histogram):
    found = Moments(x.numel())
    ones = int(torch.count_nonzero(x))
    found.zero = found.count - ones
    found.low, found.high = float(found.zero == 0), float(ones > 0)
    found.mean = found.absolute_mean = ones / found.count
    found.variance = found.mean * found.zero / found.count
    if histogram:
        found.exponents[1 - LOWEST] = ones
    return found


def _bounds(x):
    low, high = torch.aminmax(x)
    return low.item(), high.item()


def _scaled_down(x, power):
    """x / 2^power; twice, as 2^-power itself may be no float64."""
    half = power // 2
    return (x * math.ldexp(1.0, -half)) * math.ldexp(1.0, half - power)


def of_piece(piece, histogram):
    """Of a row of at least one element."""
    if piece.dtype == torch.bool:
        return _of_bools(piece, histogram)
    x = real(piece)
    found = Moments(x.numel())
    low, high = _bounds(x)
    if not (math.isfinite(low) and math.isfinite(high)):
        found.nan = int(torch.isnan(x).sum())
        is_finite = torch.isfinite(x)
        found.inf = found.count - found.nan - int(is_finite.sum())
        x = x[is_finite]
        if x.numel() == 0:
            return found
        low, high = _bounds(x)
    number = x.numel()
    found.low, found.high = low, high
    if histogram:
        found.exponents = _exponents(x)
    if low <= 0 <= high and (not histogram or found.exponents[0]):
        found.zero = _zeros(x)
        if histogram:
            found.exponents[0] -= found.zero
    largest = max(abs(low), abs(high))
    if largest == 0:
        return found
    least, most = _SAFE[x.dtype]
    if not least < largest < most:
        x = x.double()
        least, most = _SAFE[torch.float64]
        if not least < largest < most:
            found.power = math.frexp(largest)[1]
            x = _scaled_down(x, found.power)
    mean = x.sum().item() / number
    # By the sum of squares where that is exact enough, which is many times faster.
    squares = torch.dot(x, x).item() / number
    variance = squares - mean * mean
    if not variance > 0.01 * squares:
        variance = torch.var_mean(x, unbiased=False)[0].item()
    found.mean, found.variance = mean, variance
    found.absolute_mean = mean if low >= 0 else -mean if high <= 0 else x.abs().sum().item() / number
    return found
