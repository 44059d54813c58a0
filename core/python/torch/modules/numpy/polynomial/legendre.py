# SPDX-License-Identifier: Apache-2.0
import torch
from numpy.polynomial._quadrature import nodes_and_weights


def leggauss(deg):
    if int(deg) <= 0:
        raise ValueError('deg must be a positive integer')
    n = torch.arange(1, int(deg), dtype=torch.float64)
    return nodes_and_weights(n / (4 * n * n - 1).sqrt(), 2.0)
