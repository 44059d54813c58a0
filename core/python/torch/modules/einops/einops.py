# SPDX-License-Identifier: Apache-2.0
from einops import EinopsError, asnumpy, einsum, pack, parse_shape, rearrange, reduce, repeat, unpack
