# SPDX-License-Identifier: Apache-2.0
"""Numbers about the elements of a tensor, computed where it lies.

What is measured on another device than the CPU stays there until take() brings all of it over in one copy: asking for
each number would make the program wait for the device behind every operator.
"""

import math

import torch

_LOWEST = -40  # see core/record/statistics.h
_BINS = 64
_FEWEST = 4096  # results that wait on a device before they are brought over


def _real(tensor):
    if tensor.is_complex():
        return tensor.abs()
    if not tensor.is_floating_point():
        return tensor.to(torch.float64)
    return tensor if tensor.dtype in (torch.float32, torch.float64) else tensor.to(torch.float32)


def _exponents(x):
    """Of finite float32 or float64: how many non-zero ones have a magnitude in [2^(i-1+LOWEST), 2^(i+LOWEST)); the ends
    take the rest. Zeros are among the least."""
    if x.dtype == torch.float64:
        bits, bias = (x.view(torch.int64) >> 52) & 2047, 1022
    else:
        bits, bias = (x.view(torch.int32) >> 23) & 255, 126
    counts = torch.bincount(bits, minlength=2 * bias + 4).tolist()
    first = bias + _LOWEST  # the biased exponent of the first bin
    return [sum(counts[: first + 1])] + counts[first + 1 : first + _BINS - 1] + [sum(counts[first + _BINS - 1 :])]


def dense(tensor):
    """The elements in one row as they lie in memory, or None when they lie otherwise."""
    expected = 1
    for stride, size in sorted(zip(tensor.stride(), tensor.shape)):
        if size == 1:
            continue
        if stride != expected:
            return None
        expected *= size
    return tensor.as_strided((tensor.numel(),), (1,), tensor.storage_offset())


def _row(count, nan, inf, zero, low, high, mean, variance, absolute_mean, exponents):
    finite = count - nan - inf
    if finite <= 0:
        return [count, nan, inf, zero, 0, 0, 0, 0, 0, 0, 0, [0] * _BINS]
    norm = math.sqrt(max(0.0, finite * (variance + mean * mean)))
    return [count, nan, inf, zero, low, high, mean, variance, max(abs(low), abs(high)), absolute_mean, norm, exponents]


def _spread(x, count, mean):
    """The variance; by the sum of squares where that is exact enough, which is many times faster."""
    squares = torch.dot(x, x).item() / count
    variance = squares - mean * mean
    if not variance > 0.01 * squares:
        variance = torch.var_mean(x, unbiased=False)[0].item()
    return variance


def _on_cpu(tensor, histogram):
    count = tensor.numel()
    if count == 0:
        return _row(0, 0, 0, 0, 0, 0, 0, 0, 0, [0] * _BINS)
    row = dense(tensor)
    x = _real(tensor.flatten() if row is None else row)
    nan = inf = 0
    low, high = (bound.item() for bound in torch.aminmax(x))
    if not (math.isfinite(low) and math.isfinite(high)):
        nan = int(torch.isnan(x).sum())
        is_finite = torch.isfinite(x)
        inf = count - nan - int(is_finite.sum())
        x = x[is_finite]
        if x.numel() == 0:
            return _row(count, nan, inf, 0, 0, 0, 0, 0, 0, [0] * _BINS)
        low, high = (bound.item() for bound in torch.aminmax(x))
    number = x.numel()
    mean = x.sum().item() / number
    variance = _spread(x, number, mean)
    zero = number - int(torch.count_nonzero(x)) if low <= 0 <= high else 0
    absolute_mean = mean if low >= 0 else -mean if high <= 0 else x.abs().sum().item() / number
    if not math.isfinite(mean * mean) or not math.isfinite(variance):  # sums beyond float32
        wide = x.double()
        mean, absolute_mean = wide.mean().item(), wide.abs().mean().item()
        variance = torch.var_mean(wide, unbiased=False)[0].item()
    exponents = [0] * _BINS
    if histogram:
        exponents = _exponents(x)
        exponents[0] -= zero
    return _row(count, nan, inf, zero, low, high, mean, variance, absolute_mean, exponents)


def _on_device(tensor, histogram):
    """The same without a question to the device: nan, inf, zero, min, max, mean, variance, mean magnitude, bins."""
    x = _real(tensor)
    is_nan = torch.isnan(x).sum()
    is_finite = torch.isfinite(x)
    finite = torch.where(is_finite, x, torch.zeros((), dtype=x.dtype, device=x.device))
    number = is_finite.sum()
    whole = torch.float64 if x.device.type != "mps" else torch.float32
    mean = finite.sum(dtype=whole) / number
    spread = torch.where(is_finite, x - mean.to(x.dtype), torch.zeros((), dtype=x.dtype, device=x.device))
    bound = torch.full((), math.inf, dtype=x.dtype, device=x.device)
    parts = [
        is_nan,
        x.numel() - number - is_nan,
        number - torch.count_nonzero(finite),
        torch.where(is_finite, x, bound).min(),
        torch.where(is_finite, x, -bound).max(),
        mean,
        (spread * spread).sum(dtype=whole) / number,
        finite.abs().sum(dtype=whole) / number,
    ]
    row = torch.stack([part.to(whole) for part in parts])
    if not histogram:
        return row
    exponent = torch.frexp(finite)[1].sub_(_LOWEST).clamp_(0, _BINS - 1).flatten().long()
    # bincount() asks the device for the largest.
    bins = torch.zeros(_BINS, dtype=whole, device=x.device)
    bins.scatter_add_(0, exponent, torch.ones((), dtype=whole, device=x.device).expand(exponent.shape[0]))
    return torch.cat([row, bins])


class Numbers:
    """The row of some elements, which may come later, and who waits for it."""

    def __init__(self):
        self._row = None
        self._waiting = []
        self.is_asked = False

    def then(self, tell):
        if self._row is None:
            self._waiting.append(tell)
        else:
            tell(self._row)

    def take(self, row):
        self._row = row
        waiting, self._waiting = self._waiting, []
        for tell in waiting:
            tell(row)


def _times(row, factor):
    """The row of elements that are there so many times each."""
    out = [number * factor for number in row[:4]] + row[4:]
    out[10] *= math.sqrt(factor)
    out[11] = [number * factor for number in row[11]]
    return out


class Statistics:
    def __init__(self, histogram=True):
        self._histogram = histogram
        self._waiting = {}  # by device: what waits there, and for whom

    def measure(self, tensor, tell):
        """tell(row) is called now or in take(); row as a .loupe file has it. Nothing for what has no elements."""
        if tensor.layout != torch.strided or tensor.is_quantized:
            return
        tensor = tensor.detach()
        whole = tensor.numel()
        for dimension, (stride, size) in enumerate(zip(tensor.stride(), tensor.shape)):
            if stride == 0 and size > 1:  # expanded
                tensor = tensor.narrow(dimension, 0, 1)
        if tensor.numel() != whole and tensor.numel():
            factor, told = whole // tensor.numel(), tell
            tell = lambda row: told(_times(row, factor))  # noqa: E731
        if tensor.device.type == "meta":
            return
        if tensor.device.type == "cpu" or tensor.numel() == 0:
            tell(_on_cpu(tensor, self._histogram))
            return
        rows = self._waiting.setdefault(tensor.device, [])
        rows.append((_on_device(tensor, self._histogram), tensor.numel(), tell))
        if len(rows) >= _FEWEST:
            self._take(tensor.device)

    def take(self):
        for device in list(self._waiting):
            self._take(device)

    def _take(self, device):
        rows = self._waiting.pop(device)
        numbers = torch.stack([row for row, _, _ in rows]).cpu().tolist()
        for (nan, inf, zero, low, high, mean, variance, absolute, *bins), (_, count, tell) in zip(numbers, rows):
            exponents = [int(each) for each in bins] or [0] * _BINS
            if bins:
                # Zeros, and what is not finite, have the exponent 0.
                exponents[-_LOWEST] -= int(zero + nan + inf)
            tell(_row(count, int(nan), int(inf), int(zero), low, high, mean, variance, absolute, exponents))
