# SPDX-License-Identifier: Apache-2.0
from torch.distributions import OneHotCategorical, OneHotCategoricalStraightThrough
