# SPDX-License-Identifier: Apache-2.0
from torch.distributions import RelaxedOneHotCategorical
from torch.distributions._transformed import ExpRelaxedCategorical
