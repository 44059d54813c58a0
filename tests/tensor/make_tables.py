# SPDX-License-Identifier: Apache-2.0
"""Writes the expectations of the tests in this folder, as torch and numpy give them: make_tables.py (no arguments)."""
import pathlib
import random
import struct

import numpy
import torch
from torch._prims_common import is_non_overlapping_and_dense_or_false as is_non_overlapping_and_dense

here = pathlib.Path(__file__).parent
rng = random.Random(1)
NAMES = ["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex32", "complex64", "complex128", "bool", "bfloat16",
         "uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"]
FLOAT8 = NAMES[-5:]


def listed(values):
    return ",".join(map(str, values)) or "-"


with open(here / "promotion.txt", "w") as out:
    for a in NAMES:
        for b in NAMES:
            x, y = getattr(torch, a), getattr(torch, b)
            try:
                both = str(torch.promote_types(x, y))[6:]
            except RuntimeError:
                both = "error"
            print(a, b, both, int(torch.can_cast(x, y)), file=out)


def float_bits():
    yield from [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFFFFFFF, 1, 0x7FFFFF, 0x7F7FFFFF]
    # Around every kind of border: the middle between two halves, the smallest normal, the largest finite one.
    for h in list(range(0, 0x7C00, 97)) + [0, 1, 2, 0x3FF, 0x400, 0x401, 0x7BFF]:
        value = numpy.array([h], numpy.uint16).view(numpy.float16).astype(numpy.float64)[0]
        following = numpy.array([h + 1], numpy.uint16).view(numpy.float16).astype(numpy.float64)[0]
        middle = value + 2**15 * 2**-11 * 32 if following == numpy.inf else (value + following) / 2
        bits = struct.unpack("<I", struct.pack("<f", middle))[0]
        for near in (bits - 1, bits, bits + 1):
            if 0 <= near < 2**32:
                yield near
                yield near ^ 0x80000000
    for high in range(0, 0x7F80, 199):  # ties of bfloat16
        for low in (0x7FFF, 0x8000, 0x8001):
            yield high << 16 | low
            yield (high + 1) << 16 | low
    for _ in range(600):
        yield rng.getrandbits(32)


bits = numpy.array(list(float_bits()), numpy.uint32)
floats = torch.from_numpy(bits.view(numpy.float32).copy())
half = floats.half().view(torch.int16).numpy().view(numpy.uint16)
brain = floats.bfloat16().view(torch.int16).numpy().view(numpy.uint16)
with open(here / "rounding.txt", "w") as out:
    for row in zip(bits, half, brain):
        print(*row, file=out)
eights = [floats.to(getattr(torch, name)).view(torch.uint8).numpy() for name in FLOAT8]
with open(here / "float8_rounding.txt", "w") as out:
    for row in zip(bits, *eights):
        print(*row, file=out)
with open(here / "float8_values.txt", "w") as out:
    columns = [torch.arange(256).to(torch.uint8).view(getattr(torch, name)).float().view(torch.int32).numpy().view(numpy.uint32) for name in FLOAT8]
    for row in zip(range(256), *columns):
        print(*row, file=out)

with open(here / "broadcast.txt", "w") as out:
    for _ in range(200):
        a = [rng.choice([1, 1, 2, 3, 0]) for _ in range(rng.randrange(4))]
        b = [rng.choice([1, 1, 2, 3]) if rng.random() < 0.4 or i >= len(a) else a[-1 - i] for i in range(rng.randrange(5))][::-1]
        try:
            result = listed(torch.broadcast_shapes(a, b))
            listed((torch.zeros(a) + torch.zeros(b)).shape) == result or exit("torch disagrees with itself")
        except RuntimeError:
            result = "error"
        print(listed(a), listed(b), result, file=out)

with open(here / "layouts.txt", "w") as out:
    for i in range(400):
        rank = rng.randrange(6)
        sizes = [rng.choice([1, 2, 2, 3, 4, 5, 0 if i % 7 == 0 else 2]) for _ in range(rank)]
        if i % 2:  # a permutation of a dense tensor, sometimes with a gap or an expanded dimension
            order = list(range(rank))
            rng.shuffle(order)
            strides, step = [0] * rank, 1
            for d in order:
                strides[d] = step
                step *= max(sizes[d], 1)
                if rng.random() < 0.1:
                    step += 1
            if rank and rng.random() < 0.2:
                strides[rng.randrange(rank)] = 0
        else:
            strides = [rng.choice([0, 1, 2, 3, 4, 6, 8, 12, 24]) for _ in range(rank)]
        if i < 60 and rank == 4:
            strides = [sizes[1] * sizes[2] * sizes[3], 1, sizes[1] * sizes[3], sizes[1]]
        t = torch.empty(5000).as_strided(sizes, strides)
        last = rank in (4, 5) and t.is_contiguous(memory_format=torch.channels_last if rank == 4 else torch.channels_last_3d)
        dense = is_non_overlapping_and_dense(t)
        print(listed(sizes), listed(strides), int(t.is_contiguous()), int(last), int(dense),
              listed(torch.empty_like(t).stride()), file=out)
