# SPDX-License-Identifier: Apache-2.0
from torch.distributed import all_gather, all_reduce, broadcast, reduce, scatter, gather
