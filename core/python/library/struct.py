# SPDX-License-Identifier: Apache-2.0
import re
from _native import float_bits, float_of_bits


class error(Exception):
    pass


# letter: size, signed; what is no int has None.
_INTS = {'b': (1, True), 'B': (1, False), 'h': (2, True), 'H': (2, False), 'i': (4, True), 'I': (4, False), 'l': (8, True), 'L': (8, False),
         'q': (8, True), 'Q': (8, False), 'n': (8, True), 'N': (8, False), 'P': (8, False)}
_FLOATS = {'e': 2, 'f': 4, 'd': 8}
_PART = re.compile(r'\s*(\d*)([a-zA-Z?])')
_cache = {}


def _parse(format):
    if not isinstance(format, str):
        format = format.decode('ascii')
    found = _cache.get(format)
    if found is not None:
        return found
    text = format
    prefix = '@'
    if text and text[0] in '@=<>!':
        prefix, text = text[0], text[1:]
    order = 'big' if prefix in '>!' else 'little'
    is_native = prefix == '@'
    parts = []  # count, letter, size, offset
    offset = at = 0
    text = text.strip()
    while at < len(text):
        match = _PART.match(text, at)
        if match is None:
            raise error('bad char in struct format')
        at = match.end()
        count = int(match.group(1)) if match.group(1) else 1
        letter = match.group(2)
        if letter in 'sp' or letter in 'xc?':
            size = 1
        elif letter in _INTS:
            size = _INTS[letter][0]
            if not is_native and letter in 'lL':
                size = 4
            if not is_native and letter in 'nNP':
                raise error('bad char in struct format')
        elif letter in _FLOATS:
            size = _FLOATS[letter]
        else:
            raise error('bad char in struct format')
        if is_native:
            offset = -(-offset // size) * size
        parts.append((count, letter, size, offset))
        offset += count * size
    _cache[format] = (order, parts, offset)
    return _cache[format]


def calcsize(format):
    return _parse(format)[2]


def _put(letter, size, order, value):
    if letter == '?':
        return b'\x01' if value else b'\x00'
    if letter == 'c':
        if not isinstance(value, (bytes, bytearray)) or len(value) != 1:
            raise error('char format requires a bytes object of length 1')
        return bytes(value)
    if letter in _FLOATS:
        if not isinstance(value, (int, float)) and not hasattr(value, '__float__'):
            raise error('required argument is not a float')
        return float_bits(float(value), size).to_bytes(size, order)
    if not isinstance(value, int):
        if not hasattr(value, '__index__'):
            raise error('required argument is not an integer')
        value = value.__index__()
    signed = _INTS[letter][1]
    low = -(1 << (8 * size - 1)) if signed else 0
    high = (1 << (8 * size - 1)) - 1 if signed else (1 << (8 * size)) - 1
    if not low <= value <= high:
        if letter in 'bB':
            raise error(f"{'byte' if signed else 'ubyte'} format requires {low} <= number <= {high}")
        if letter in 'hH':
            raise error(f"{'short' if signed else 'ushort'} format requires {low} <= number <= {high}")
        if size < 8:
            raise error(f"'{letter}' format requires {low} <= number <= {high}")
        raise error('int too large to convert')
    return value.to_bytes(size, order, signed=signed)


def pack(format, *values):
    order, parts, total = _parse(format)
    needed = sum(0 if letter == 'x' else 1 if letter in 'sp' else count for count, letter, size, offset in parts)
    if len(values) != needed:
        raise error(f'pack expected {needed} items for packing (got {len(values)})')
    out = b''
    given = iter(values)
    for count, letter, size, offset in parts:
        out += b'\x00' * (offset - len(out))
        if letter == 'x':
            out += b'\x00' * count
        elif letter in 'sp':
            value = next(given)
            if not isinstance(value, (bytes, bytearray)):
                raise error(f"argument for '{letter}' must be a bytes object")
            value = bytes(value)
            if letter == 'p':
                value = bytes([min(len(value), count - 1, 255)]) + value[:count - 1]
            out += value[:count] + b'\x00' * (count - len(value))
        else:
            for _ in range(count):
                out += _put(letter, size, order, next(given))
    return out


def _take(letter, size, order, data):
    if letter == '?':
        return data != b'\x00'
    if letter == 'c':
        return data
    number = int.from_bytes(data, order, signed=letter in _INTS and _INTS[letter][1])
    return float_of_bits(number, size) if letter in _FLOATS else number


def unpack(format, buffer):
    order, parts, total = _parse(format)
    if len(buffer) != total:
        raise error(f'unpack requires a buffer of {total} bytes')
    buffer = bytes(buffer)
    out = []
    for count, letter, size, offset in parts:
        if letter == 'x':
            continue
        if letter in 'sp':
            value = buffer[offset:offset + count]
            out.append(value[1:1 + value[0]] if letter == 'p' else value)
            continue
        for i in range(count):
            start = offset + i * size
            out.append(_take(letter, size, order, buffer[start:start + size]))
    return tuple(out)


def unpack_from(format, buffer, offset=0):
    size = calcsize(format)
    if offset < 0:
        offset += len(buffer)
    if len(buffer) - offset < size:
        raise error(f'unpack_from requires a buffer of at least {offset + size} bytes for unpacking {size} bytes at offset {offset} '
                    f'(actual buffer size is {len(buffer)})')
    return unpack(format, buffer[offset:offset + size])


def pack_into(format, buffer, offset, *values):
    data = pack(format, *values)
    buffer[offset:offset + len(data)] = data


def iter_unpack(format, buffer):
    size = calcsize(format)
    if size == 0 or len(buffer) % size:
        raise error(f'iterative unpacking requires a buffer of a multiple of {size} bytes')
    return (unpack(format, buffer[i:i + size]) for i in range(0, len(buffer), size))


class Struct:
    def __init__(self, format):
        self.format = format if isinstance(format, str) else format.decode('ascii')
        self.size = calcsize(format)

    def pack(self, *values):
        return pack(self.format, *values)

    def unpack(self, buffer):
        return unpack(self.format, buffer)

    def unpack_from(self, buffer, offset=0):
        return unpack_from(self.format, buffer, offset)

    def pack_into(self, buffer, offset, *values):
        pack_into(self.format, buffer, offset, *values)

    def iter_unpack(self, buffer):
        return iter_unpack(self.format, buffer)
