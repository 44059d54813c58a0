# SPDX-License-Identifier: Apache-2.0
import enum

NEAREST, LANCZOS, BILINEAR, BICUBIC, BOX, HAMMING = range(6)
ANTIALIAS = LANCZOS
FLIP_LEFT_RIGHT, FLIP_TOP_BOTTOM, ROTATE_90, ROTATE_180, ROTATE_270, TRANSPOSE, TRANSVERSE = range(7)
AFFINE, EXTENT, PERSPECTIVE, QUAD, MESH = range(5)


class Resampling(enum.IntEnum):
    NEAREST = 0
    LANCZOS = 1
    BILINEAR = 2
    BICUBIC = 3
    BOX = 4
    HAMMING = 5


class Transpose(enum.IntEnum):
    FLIP_LEFT_RIGHT = 0
    FLIP_TOP_BOTTOM = 1
    ROTATE_90 = 2
    ROTATE_180 = 3
    ROTATE_270 = 4
    TRANSPOSE = 5
    TRANSVERSE = 6


class Transform(enum.IntEnum):
    AFFINE = 0
    EXTENT = 1
    PERSPECTIVE = 2
    QUAD = 3
    MESH = 4


class Image:
    pass


def _refuse(*args, **kwargs):
    raise NotImplementedError('PIL reads no images here; choose an image file as an input')


open = new = fromarray = frombytes = merge = blend = composite = _refuse
