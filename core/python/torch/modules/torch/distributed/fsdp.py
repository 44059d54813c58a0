# SPDX-License-Identifier: Apache-2.0
from torch.distributed.fsdp._fully_shard import (CPUOffloadPolicy, FSDPModule, GradientReductionHandle, MixedPrecisionPolicy, OffloadPolicy,
                                                 UnshardHandle, fully_shard, register_fsdp_forward_method)


def _absent(name):
    def absent(*args, **kwargs):
        raise NotImplementedError("torch.distributed.fsdp." + name + " is not here; fully_shard, DistributedDataParallel and "
                                  "ZeroRedundancyOptimizer are")
    return absent


FullyShardedDataParallel = _absent('FullyShardedDataParallel')
share_comm_ctx = _absent('share_comm_ctx')
