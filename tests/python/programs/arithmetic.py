# SPDX-License-Identifier: Apache-2.0
def table(values):
    for a in values:
        for b in values:
            row = [a + b, a - b, a * b]
            if b:
                row += [a / b, a // b, a % b, divmod(a, b)]
            print(a, b, row)


table([7, -7, 3, -2, 0])
table([2.5, -1.5, 0.25])
print(2 ** 10, 2 ** -1, (-2) ** 3, 2 ** 0.5, 10 ** 18, -2 ** 2)
print(7 & 3, 7 | 8, 6 ^ 3, ~5, 1 << 10, -17 >> 2)
print(True + True, True & False, True | False, True ^ True, -True)
print(1e16, 1e15, 123456789.123, 1e-5, 0.1 + 0.2, 1 / 3, 1e100, float('inf'), -float('inf'), float('nan'))
print(round(2.5), round(3.5), round(-2.5), round(2.675, 2), round(1234.5678, -2), round(15, -1), round(25, -1))
print(int('42'), int('-0x1f', 16), int('0b101', 0), int(3.99), int(-3.99), float('1e3'), float(' 2.5 '))
print(abs(-3), abs(-2.5), abs(3 + 4j), pow(3, 4), pow(3, 200, 7), max(3, 1, 2), min([4, 2, 8]))
print((1 + 2j) * (3 - 1j), (1 + 2j).conjugate(), (2j) ** 2, complex(1, -1), 1j)
print(5 .bit_length(), (255).bit_length(), (0.5).is_integer(), (4.0).is_integer())
print(1 < 2 < 3, 1 < 3 < 2, 1 == 1.0, 1 != 2, 3 > 2 >= 2, not 0, 0 or 'x', 1 and [])
print(hex(255), bin(10), oct(8), hex(-1), chr(97), ord('z'))
x = 5
x += 2; x *= 3; x -= 1; x //= 2; x **= 2; x %= 17
print(x)
x <<= 3; x |= 1; x &= 0xff; x ^= 0b1010; x >>= 1
print(x)
print(0x_ff, 1_000_000, 0o17, 0b1111, .5, 5., 1e3, 1_0.5)
