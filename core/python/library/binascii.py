# SPDX-License-Identifier: Apache-2.0
class Error(ValueError):
    pass


class Incomplete(Exception):
    pass


_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
_VALUES = {ord(letter): i for i, letter in enumerate(_ALPHABET)}


def hexlify(data, sep=None, bytes_per_sep=1):
    return ''.join('%02x' % byte for byte in data).encode('ascii')


b2a_hex = hexlify


def unhexlify(hexstr):
    if not isinstance(hexstr, str):
        hexstr = bytes(hexstr).decode('ascii')
    if len(hexstr) % 2:
        raise Error('Odd-length string')
    try:
        return bytes([int(hexstr[i:i + 2], 16) for i in range(0, len(hexstr), 2)])
    except ValueError:
        raise Error('Non-hexadecimal digit found') from None


a2b_hex = unhexlify


def b2a_base64(data, *, newline=True):
    data = bytes(data)
    out = []
    for i in range(0, len(data), 3):
        chunk = data[i:i + 3]
        number = 0
        for byte in chunk:
            number = number << 8 | byte
        number <<= 8 * (3 - len(chunk))
        for j in range(4):
            out.append(_ALPHABET[number >> (18 - 6 * j) & 63] if j <= len(chunk) else '=')
    return (''.join(out) + ('\n' if newline else '')).encode('ascii')


def a2b_base64(data, /, *, strict_mode=False):
    if isinstance(data, str):
        data = data.encode('ascii')
    bits = count = padding = 0
    out = []
    for byte in data:
        if byte == 61:
            padding += 1
            if count >= 2 and count + padding >= 4:
                break
            continue
        value = _VALUES.get(byte)
        if value is None:
            if strict_mode:
                raise Error('Only base64 data is allowed')
            continue
        padding = 0
        bits = bits << 6 | value
        count += 1
        if count == 4:
            out.extend((bits >> 16, bits >> 8 & 255, bits & 255))
            bits = count = 0
    if count == 1:
        raise Error('Invalid base64-encoded string: number of data characters cannot be 1 more than a multiple of 4')
    if count and count + padding < 4:
        raise Error('Incorrect padding')
    if count == 2:
        out.append(bits >> 4)
    elif count == 3:
        out.extend((bits >> 10, bits >> 2 & 255))
    return bytes(out)


def crc32(data, value=0):
    from zlib import crc32
    return crc32(data, value)
