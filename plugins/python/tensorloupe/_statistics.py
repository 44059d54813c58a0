# SPDX-License-Identifier: Apache-2.0
"""Numbers about the elements of a tensor, computed where it lies.

What is measured on another device than the CPU stays there until take() brings all of it over in one copy: asking for
each number would make the program wait for the device behind every operator.
"""

import math

import torch

from ._device_moments import on_device
from ._moments import BINS, LOWEST, Moments, of_piece
from ._pieces import is_repeated, pieces

_FEWEST = 4096  # results that wait on a device before they are brought over
_NOTHING = [0] * BINS


def row_of(found):
    """As a .loupe file has it."""
    finite = found.finite
    if finite <= 0:
        return [found.count, found.nan, found.inf, found.zero, 0, 0, 0, 0, 0, 0, 0, list(_NOTHING)]
    low, high = found.low, found.high
    # Scaled by a power of two, so that no square leaves the range of a double.
    norm = _scaled(math.sqrt(max(0.0, finite * (found.variance + found.mean * found.mean))), found.power)
    return [
        found.count,
        found.nan,
        found.inf,
        found.zero,
        low,
        high,
        _scaled(found.mean, found.power),
        _scaled(found.variance, 2 * found.power),
        max(abs(low), abs(high)),
        _scaled(found.absolute_mean, found.power),
        norm,
        found.exponents,
    ]


def _scaled(number, power):
    try:
        return math.ldexp(number, power)
    except OverflowError:
        return math.copysign(math.inf, number)


def _on_cpu(tensor, histogram):
    found = Moments()
    for piece in pieces(tensor):
        found.add(of_piece(piece, histogram))
    return row_of(found)


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
        """tell(row) is called now or in take(). Nothing for what has no elements.

        Returns "", or why there are no numbers about elements that are there.
        """
        if tensor.layout != torch.strided or tensor.is_quantized:
            return ""
        device = tensor.device.type
        if device == "meta":
            return ""
        tensor = tensor.detach()
        whole = tensor.numel()
        if 0 in tensor.stride():
            for dimension, (stride, size) in enumerate(zip(tensor.stride(), tensor.shape)):
                if stride == 0 and size > 1:  # expanded
                    tensor = tensor.narrow(dimension, 0, 1)
            if tensor.numel() != whole and tensor.numel():
                factor, of_each = whole // tensor.numel(), tell
                tell = lambda row: of_each(_times(row, factor))  # noqa: E731
        if is_repeated(tensor):
            return "numbers of a view that shows its memory too many times over"
        if tensor.is_neg():
            tensor = tensor.resolve_neg()
        if device == "cpu" or whole == 0:
            tell(_on_cpu(tensor, self._histogram))
            return ""
        rows = self._waiting.setdefault(tensor.device, [])
        rows.append((on_device(tensor, self._histogram), tensor.numel(), tell))
        if len(rows) >= _FEWEST:
            self._take(tensor.device)
        return ""

    def take(self):
        for device in list(self._waiting):
            self._take(device)

    def take_later(self, bundle):
        """The same when `bundle`, of _watch_device, has brought them."""
        for rows in self._waiting.values():
            bundle.tensor(torch.stack([row for row, _, _ in rows]), lambda host, rows=rows: self._tell(host, rows))
        self._waiting = {}

    def _take(self, device):
        rows = self._waiting.pop(device)
        self._tell(torch.stack([row for row, _, _ in rows]).cpu(), rows)

    @staticmethod
    def _tell(host, rows):
        numbers = host.tolist()
        for (nan, inf, zero, low, high, scale, mean, variance, absolute, *bins), (_, count, tell) in zip(numbers, rows):
            found = Moments()
            found.count, found.nan, found.inf, found.zero = count, int(nan), int(inf), int(zero)
            found.low, found.high, found.power = low, high, int(scale)
            found.mean, found.variance, found.absolute_mean = mean, variance, absolute
            if bins:
                # Zeros, and what is not finite, have the exponent 0.
                found.exponents = [int(each) for each in bins]
                found.exponents[-LOWEST] -= int(zero + nan + inf)
            tell(row_of(found))
