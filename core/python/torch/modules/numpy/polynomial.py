# SPDX-License-Identifier: Apache-2.0
from numpy.polynomial import hermite, legendre
