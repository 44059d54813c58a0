# SPDX-License-Identifier: Apache-2.0
from binascii import Error, a2b_base64, b2a_base64, hexlify, unhexlify


def _bytes(s):
    return s.encode('ascii') if isinstance(s, str) else bytes(s)


def b64encode(s, altchars=None):
    out = b2a_base64(s, newline=False)
    if altchars is not None:
        out = out.replace(b'+', altchars[0:1]).replace(b'/', altchars[1:2])
    return out


def b64decode(s, altchars=None, validate=False):
    s = _bytes(s)
    if altchars is not None:
        altchars = _bytes(altchars)
        s = s.replace(altchars[0:1], b'+').replace(altchars[1:2], b'/')
    return a2b_base64(s, strict_mode=validate)


standard_b64encode = b64encode
standard_b64decode = b64decode


def urlsafe_b64encode(s):
    return b64encode(s, b'-_')


def urlsafe_b64decode(s):
    return b64decode(s, b'-_')


def encodebytes(s):
    out = b''
    for i in range(0, len(s), 57):
        out += b2a_base64(s[i:i + 57])
    return out


def decodebytes(s):
    return a2b_base64(s)


def b16encode(s):
    return hexlify(s).upper()


def b16decode(s, casefold=False):
    s = _bytes(s)
    if not casefold and s != s.upper():
        raise Error('Non-base16 digit found')
    return unhexlify(s)
