# SPDX-License-Identifier: Apache-2.0
from torch.distributed.nn.functional import all_gather, all_reduce, all_to_all, all_to_all_single, broadcast, gather, reduce, reduce_scatter, scatter, _all_gather_base
