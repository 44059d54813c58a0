# SPDX-License-Identifier: Apache-2.0
from torch.distributions.distribution import ExponentialFamily
