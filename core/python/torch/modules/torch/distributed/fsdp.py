# SPDX-License-Identifier: Apache-2.0
def _absent(name):
    def absent(*args, **kwargs):
        raise NotImplementedError("torch.distributed.fsdp." + name + " is not here; DistributedDataParallel and "
                                  "ZeroRedundancyOptimizer are")
    return absent


fully_shard = _absent('fully_shard')
FullyShardedDataParallel = _absent('FullyShardedDataParallel')
MixedPrecisionPolicy = _absent('MixedPrecisionPolicy')
CPUOffloadPolicy = _absent('CPUOffloadPolicy')
OffloadPolicy = _absent('OffloadPolicy')
register_fsdp_forward_method = _absent('register_fsdp_forward_method')
