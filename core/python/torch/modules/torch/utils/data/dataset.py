# SPDX-License-Identifier: Apache-2.0
from torch.utils.data import Dataset, IterableDataset, TensorDataset, ConcatDataset, StackDataset, ChainDataset, Subset, random_split
