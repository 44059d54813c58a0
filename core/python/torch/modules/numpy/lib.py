# SPDX-License-Identifier: Apache-2.0
import numpy.lib.stride_tricks
