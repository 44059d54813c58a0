# SPDX-License-Identifier: Apache-2.0
from _native import urandom


def token_bytes(nbytes=32):
    return urandom(nbytes)


def token_hex(nbytes=32):
    return urandom(nbytes).hex()


def randbelow(exclusive_upper_bound):
    return int.from_bytes(urandom(16), 'big') % exclusive_upper_bound


def choice(sequence):
    return sequence[randbelow(len(sequence))]
