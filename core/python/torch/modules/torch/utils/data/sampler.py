# SPDX-License-Identifier: Apache-2.0
from torch.utils.data import Sampler, SequentialSampler, RandomSampler, SubsetRandomSampler, WeightedRandomSampler, BatchSampler
