# SPDX-License-Identifier: Apache-2.0
from torch.distributed import *
from torch.distributed import _get_default_group, _rank_not_in_group, _resolve, _all_gather_base, _reduce_scatter_base, _broadcast_coalesced


def _find_pg_by_ranks_and_tag(tag, ranks):
    raise NotImplementedError("torch.distributed.distributed_c10d._find_pg_by_ranks_and_tag is not here")
