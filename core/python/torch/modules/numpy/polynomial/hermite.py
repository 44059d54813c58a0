# SPDX-License-Identifier: Apache-2.0
import math
import torch
from numpy.polynomial._quadrature import nodes_and_weights


def hermgauss(deg):
    if int(deg) <= 0:
        raise ValueError('deg must be a positive integer')
    return nodes_and_weights((torch.arange(1, int(deg), dtype=torch.float64) / 2).sqrt(), math.sqrt(math.pi))
