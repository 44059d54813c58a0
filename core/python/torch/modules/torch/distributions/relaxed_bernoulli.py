# SPDX-License-Identifier: Apache-2.0
from torch.distributions import RelaxedBernoulli
from torch.distributions._transformed import LogitRelaxedBernoulli
