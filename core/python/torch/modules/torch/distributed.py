# SPDX-License-Identifier: Apache-2.0
# One process, no group: what asks for one says so, what asks whether there is one hears no.
class ReduceOp:
    SUM = AVG = PRODUCT = MIN = MAX = 'ReduceOp'


reduce_op = ReduceOp


class ProcessGroup:
    pass


class _Group:
    WORLD = None


group = GroupMember = _Group


def is_available():
    return False


def is_initialized():
    return False


is_nccl_available = is_mpi_available = is_gloo_available = is_torchelastic_launched = is_initialized


def _no_group(*args, **kwargs):
    raise ValueError('Default process group has not been initialized, please make sure to call init_process_group.')


get_rank = get_world_size = get_backend = new_group = _no_group
all_reduce = all_gather = all_gather_into_tensor = reduce_scatter = reduce_scatter_tensor = broadcast = barrier = reduce = gather = scatter = _no_group
all_to_all = all_to_all_single = send = recv = isend = irecv = broadcast_object_list = all_gather_object = _no_group


def init_process_group(*args, **kwargs):
    raise RuntimeError('there is one process here; take the process group out')


def destroy_process_group(group=None):
    pass
