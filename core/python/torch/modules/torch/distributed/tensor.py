# SPDX-License-Identifier: Apache-2.0
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh


def _absent(name):
    def absent(*args, **kwargs):
        raise NotImplementedError("torch.distributed.tensor." + name + " is not here; torch.distributed._functional_collectives is")
    return absent


DTensor = _absent('DTensor')
distribute_tensor = _absent('distribute_tensor')
distribute_module = _absent('distribute_module')


class Placement:
    def is_shard(self, dim=None):
        return False

    def is_replicate(self):
        return False

    def is_partial(self, reduce_op=None):
        return False


class Shard(Placement):
    def __init__(self, dim):
        self.dim = dim

    def is_shard(self, dim=None):
        return dim is None or dim == self.dim

    def __repr__(self):
        return 'Shard(dim=' + str(self.dim) + ')'

    def __eq__(self, other):
        return isinstance(other, Shard) and other.dim == self.dim

    def __hash__(self):
        return hash(self.dim)


class Replicate(Placement):
    def is_replicate(self):
        return True

    def __repr__(self):
        return 'Replicate()'

    def __eq__(self, other):
        return isinstance(other, Replicate)

    def __hash__(self):
        return -1


class Partial(Placement):
    def __init__(self, reduce_op='sum'):
        self.reduce_op = reduce_op

    def is_partial(self, reduce_op=None):
        return reduce_op is None or reduce_op == self.reduce_op

    def __repr__(self):
        return 'Partial(' + self.reduce_op + ')'

    def __eq__(self, other):
        return isinstance(other, Partial) and other.reduce_op == self.reduce_op

    def __hash__(self):
        return hash(self.reduce_op)
