# SPDX-License-Identifier: Apache-2.0
"""Writes the expectations of the tests in this folder, as Python gives them: make_tables.py (no arguments)."""
import math
import pathlib
import random
import struct

here = pathlib.Path(__file__).parent
rng = random.Random(1)


def doubles():
    yield from [0.0, -0.0, 1.0, -1.0, 0.1, 1e-4, 1e-5, 9.999e-5, 1e15, 1e16, 1e17, 1e22, 123456789012345678.0, 1.5e300,
                5e-324, 1.7976931348623157e308, 2.2250738585072014e-308, math.inf, -math.inf, math.nan, math.pi, 1 / 3,
                100.0, 1e100, 0.00012345, 12345.678, 1e-7, 2.0**53, 2.0**63, 9999999999999998.0]
    for _ in range(300):
        value = struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0]
        if not math.isnan(value):
            yield value
    for _ in range(100):
        yield round(rng.uniform(-1000, 1000), rng.randrange(6))


with open(here / "double_repr.txt", "w") as out:
    for value in doubles():
        print(struct.unpack("<Q", struct.pack("<d", value))[0], repr(value), file=out)

texts = ["", "plain", "it's", 'say "x"', "both ' and \"", "back\\slash", "tab\tline\nreturn\r", "\x00\x01\x1f\x7f", "été µ"]
with open(here / "text_repr.txt", "w") as out:
    for text in texts:
        print(text.encode().hex() or "-", repr(text), file=out)
