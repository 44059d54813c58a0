# SPDX-License-Identifier: Apache-2.0
def _absent(name):
    def absent(*args, **kwargs):
        raise NotImplementedError("torch.distributed.checkpoint." + name + " is not here; use torch.save on rank 0")
    return absent


save = _absent('save')
load = _absent('load')
async_save = _absent('async_save')
