# SPDX-License-Identifier: Apache-2.0
# torch.distributed over the engine's process groups, which carry names; what started the ranks is the launcher's.
import os
import torch
import _c10d
from _c10d import Work, _compute_bucket_assignment_by_size, _DEFAULT_FIRST_BUCKET_BYTES
from datetime import timedelta

default_pg_timeout = timedelta(minutes=30)


class _RedOp(int):
    def __new__(cls, value, name):
        op = int.__new__(cls, value)
        op.name = name
        return op

    def __repr__(self):
        return '<RedOpType.' + self.name + ': ' + str(int(self)) + '>'

    def __str__(self):
        return 'RedOpType.' + self.name


class _PremulSum:
    def __init__(self, factor):
        self.factor = factor

    def __int__(self):
        return 8

    __index__ = __int__


class ReduceOp:
    SUM = _RedOp(0, 'SUM')
    AVG = _RedOp(1, 'AVG')
    PRODUCT = _RedOp(2, 'PRODUCT')
    MIN = _RedOp(3, 'MIN')
    MAX = _RedOp(4, 'MAX')
    BAND = _RedOp(5, 'BAND')
    BOR = _RedOp(6, 'BOR')
    BXOR = _RedOp(7, 'BXOR')
    PREMUL_SUM = _RedOp(8, 'PREMUL_SUM')
    RedOpType = _RedOp


reduce_op = ReduceOp


def _make_nccl_premul_sum(factor):
    return _PremulSum(factor)


def _factor(op):
    factor = getattr(op, 'factor', 1.0)
    return float(factor)


class Backend(str):
    UNDEFINED = 'undefined'
    GLOO = 'gloo'
    NCCL = 'nccl'
    UCC = 'ucc'
    MPI = 'mpi'
    XCCL = 'xccl'
    FAKE = 'fake'
    backend_list = ['undefined', 'gloo', 'nccl', 'xccl', 'ucc', 'mpi', 'fake']

    def __new__(cls, name):
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return str.__new__(cls, name.lower())


class GroupMember:
    WORLD = None
    NON_GROUP_MEMBER = -100


class group(GroupMember):
    pass


class ProcessGroup:
    def __init__(self, name):
        self.group_name = name
        rank, size, ranks, backend = _c10d._group_facts(name)
        self._rank = rank
        self._size = size
        self._ranks = ranks
        self._backend = backend
        self.group_desc = 'default_pg' if name == '0' else 'undefined'

    def rank(self):
        return self._rank

    def size(self):
        return self._size

    def name(self):
        return self._backend

    def allreduce(self, tensors, opts=None):
        tensors = tensors if isinstance(tensors, (list, tuple)) else [tensors]
        op = opts if opts is not None else ReduceOp.SUM
        return _c10d.allreduce_(list(tensors), self.group_name, int(op), _factor(op), True)

    def broadcast(self, tensors, root=0):
        tensors = tensors if isinstance(tensors, (list, tuple)) else [tensors]
        return _c10d.broadcast_(list(tensors), self.group_name, root, True)

    def barrier(self, opts=None):
        return _c10d.barrier(self.group_name, True)

    def __repr__(self):
        return '<torch.distributed.distributed_c10d.ProcessGroup object at 0x' + format(id(self), 'x') + '>'

    def __eq__(self, other):
        return isinstance(other, ProcessGroup) and other.group_name == self.group_name

    def __hash__(self):
        return hash(self.group_name)


class Store:
    pass


class DistBackendError(RuntimeError):
    pass


class DistNetworkError(RuntimeError):
    pass


class DistStoreError(RuntimeError):
    pass


DistError = RuntimeError


def is_available():
    return True


def is_initialized():
    return GroupMember.WORLD is not None


def is_gloo_available():
    return True


def is_mpi_available():
    return True


def is_nccl_available():
    return False


is_ucc_available = is_xccl_available = is_nccl_available


def is_torchelastic_launched():
    return False


def is_backend_available(backend):
    return backend.lower() in ('gloo', 'mpi')


def get_default_backend_for_device(device):
    return 'nccl' if torch.device(device).type == 'cuda' else 'gloo'


def _default():
    if not is_initialized():
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return GroupMember.WORLD


_get_default_group = _default


def _resolve(given):
    if given is None:
        return _default()
    if given == GroupMember.NON_GROUP_MEMBER:
        return given
    if not isinstance(given, ProcessGroup):
        mesh = getattr(given, 'get_group', None)
        if mesh is None:
            raise ValueError("Expecting a ProcessGroup, but got a " + str(type(given)) + ".")
        return mesh()
    _default()
    return given


def _rank_not_in_group(given):
    return given is not None and given == GroupMember.NON_GROUP_MEMBER


def _warn_not_in_group(what):
    import warnings
    warnings.warn("Running " + what + " on global rank " + str(get_rank()) + " which does not belong to the given group.")


def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name='',
                       pg_options=None, device_id=None, _ranks=None):
    if is_initialized():
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    if timeout is not None and not isinstance(timeout, timedelta):
        raise TypeError("Expected timeout argument to be of type datetime.timedelta, got " + str(timeout))
    if init_method is not None:
        scheme = init_method.split('://')[0]
        if '://' not in init_method or scheme not in ('env', 'tcp', 'file'):
            raise RuntimeError("No rendezvous handler for " + scheme + "://")
        if scheme != 'env' and (rank < 0 or world_size < 0) and '?' not in init_method:
            raise ValueError("Error initializing torch.distributed using " + scheme + ":// rendezvous: " +
                             ("rank" if rank < 0 else "world size") + " parameter missing")
    if backend is None:
        backend = 'undefined'
    parts = [part.split(':')[-1] for part in backend.lower().split(',')]
    for part in parts:
        if part not in Backend.backend_list:
            raise ValueError("Invalid backend: '" + str(part) + "'")
    launched_rank, launched_size = _c10d._launched_ranks()
    if world_size > 0 and world_size != launched_size:
        raise ValueError("init_process_group was called with world_size=" + str(world_size) + ", and " + str(launched_size) +
                         (" rank was" if launched_size == 1 else " ranks were") +
                         " started; start them with tensorloupe-cli run --ranks " + str(world_size))
    if rank >= 0 and rank != launched_rank:
        raise ValueError("init_process_group was called with rank=" + str(rank) + ", and this process was started as rank " +
                         str(launched_rank))
    name = _c10d._begin(backend.lower(), timeout if timeout is not None else default_pg_timeout)
    made = ProcessGroup(name)
    GroupMember.WORLD = made


def destroy_process_group(group=None):
    if _rank_not_in_group(group):
        return
    if group is None or group == GroupMember.WORLD:
        if group is None and not is_initialized():
            raise AssertionError("Process group cannot be None")
        _c10d._end(None)
        GroupMember.WORLD = None
    else:
        _c10d._end(group.group_name)


def get_rank(group=None):
    if _rank_not_in_group(group):
        return -1
    return _resolve(group)._rank


def get_world_size(group=None):
    if _rank_not_in_group(group):
        return -1
    return _resolve(group)._size


def get_backend(group=None):
    return _resolve(group)._backend


def get_process_group_ranks(group):
    return list(_resolve(group)._ranks)


def get_node_local_rank(fallback_rank=None):
    if 'LOCAL_RANK' in os.environ:
        return int(os.environ['LOCAL_RANK'])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError("LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work, "
                       "assuming you are not running in a multi-device context and want the code to run locally instead.")


def get_global_rank(group, group_rank):
    ranks = _resolve(group)._ranks
    if group_rank < 0 or group_rank >= len(ranks):
        raise ValueError("Group rank " + str(group_rank) + " is not part of group " + str(group))
    return ranks[group_rank]


def get_group_rank(group, global_rank):
    ranks = _resolve(group)._ranks
    if global_rank not in ranks:
        raise ValueError("Global rank " + str(global_rank) + " is not part of group " + str(group))
    return ranks.index(global_rank)


def new_group(ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False, group_desc=None,
              device_id=None):
    world = _default()
    ranks = sorted(ranks) if ranks is not None else list(range(world._size))
    if len(ranks) > world._size:
        raise ValueError("the new group's world size should be less or equal to the world size set by init_process_group")
    if len(set(ranks)) != len(ranks):
        raise ValueError("the new group's ranks are not unique")
    for rank in ranks:
        if rank < 0 or rank >= world._size:
            raise ValueError("The new group's rank should be within the world_size set by init_process_group")
    name = _c10d._new_group(ranks, backend or world._backend, timeout if timeout is not None else default_pg_timeout)
    if name is None:
        return GroupMember.NON_GROUP_MEMBER
    made = ProcessGroup(name)
    if group_desc is not None:
        made.group_desc = group_desc
    return made


def new_subgroups(group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None):
    size = get_world_size(group)
    if group_size is None:
        group_size = size
    if group_size <= 0:
        raise ValueError("The arg 'group_size' (" + str(group_size) + ") must be positive")
    if size < group_size:
        raise ValueError("The arg 'group_size' (" + str(group_size) + ") must not exceed the world size (" + str(size) + ")")
    if size % group_size != 0:
        raise ValueError("The world size (" + str(size) + ") must be divisible by 'group_size=" + str(group_size) + "'")
    return new_subgroups_by_enumeration([list(range(start, start + group_size)) for start in range(0, size, group_size)],
                                        timeout, backend)


def new_subgroups_by_enumeration(ranks_per_subgroup_list, timeout=None, backend=None, pg_options=None, group_desc=None):
    if ranks_per_subgroup_list is None or len(ranks_per_subgroup_list) == 0:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    subgroups = []
    mine = None
    for ranks in ranks_per_subgroup_list:
        made = new_group(ranks, timeout, backend)
        subgroups.append(made)
        if get_rank() in ranks:
            mine = made
    return mine, subgroups


# The root, as its number in the group.
def _root(given, src, group_src, what):
    if group_src is not None:
        if src is not None:
            raise ValueError("Can't specify both group_" + what + " and " + what)
        return group_src
    if src is None:
        src = 0
    if given == GroupMember.WORLD:
        return src
    return get_group_rank(given, src)


def _check_tensor(value, name):
    if not isinstance(value, torch.Tensor):
        raise TypeError("Invalid function argument. Expected parameter `" + name + "` of type torch.Tensor but got " +
                        str(type(value)) + " instead.")


def _check_tensors(value, name):
    if not isinstance(value, (list, tuple)) or not all(isinstance(t, torch.Tensor) for t in value):
        raise TypeError("Invalid function argument. Expected parameter `" + name + "` of type List[torch.Tensor] but got " +
                        str(type(value)) + " with elements of type " + str([type(t) for t in value] if isinstance(value, (list, tuple)) else '') + ".")


def _outside(group, what):
    if _rank_not_in_group(group):
        _warn_not_in_group(what)
        return True
    return False


def _plain(tensor):
    return tensor.detach()


def _views(tensor):
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    _check_tensor(tensor, "tensor")
    if _outside(group, "all_reduce"):
        return None
    if tensor.is_complex():
        if int(op) not in (0, 1, 8):
            raise ValueError("all_reduce does not support " + str(op) + " on complex tensors")
        tensor = torch.view_as_real(tensor)
    work = _c10d.allreduce_([_plain(tensor)], _resolve(group).group_name, int(op), _factor(op), async_op)
    return work if async_op else None


def all_reduce_coalesced(tensors, op=ReduceOp.SUM, group=None, async_op=False):
    _check_tensors(tensors, "tensors")
    if _outside(group, "all_reduce_coalesced"):
        return None
    work = _c10d.allreduce_([_plain(t) for t in tensors], _resolve(group).group_name, int(op), _factor(op), async_op)
    return work.get_future() if async_op else None


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None):
    _check_tensor(tensor, "tensor")
    if _outside(group, "broadcast"):
        return None
    given = _resolve(group)
    work = _c10d.broadcast_([_views(_plain(tensor))], given.group_name, _root(given, src, group_src, "src"), async_op)
    return work if async_op else None


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None):
    _check_tensor(tensor, "tensor")
    if _outside(group, "reduce"):
        return None
    given = _resolve(group)
    work = _c10d.reduce_([_plain(tensor)], given.group_name, int(op), _root(given, dst, group_dst, "dst"), async_op)
    return work if async_op else None


def all_gather(tensor_list, tensor, group=None, async_op=False):
    _check_tensors(tensor_list, "tensor_list")
    _check_tensor(tensor, "tensor")
    if any(t.dtype != tensor.dtype for t in tensor_list):
        raise ValueError("all tensors need to be of the same dtype")
    if _outside(group, "all_gather"):
        return None
    work = _c10d.allgather_([_plain(t) for t in tensor_list], [_plain(tensor)], _resolve(group).group_name, async_op)
    return work if async_op else None


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    _check_tensor(input_tensor, "input_tensor")
    _check_tensor(output_tensor, "output_tensor")
    if _outside(group, "all_gather_into_tensor"):
        return None
    work = _c10d._allgather_base_([_plain(output_tensor)], [_plain(input_tensor)], _resolve(group).group_name, async_op)
    return work if async_op else None


_all_gather_base = all_gather_into_tensor


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False):
    _check_tensor(output, "output")
    _check_tensors(input_list, "input_list")
    if _outside(group, "reduce_scatter"):
        return None
    work = _c10d.reduce_scatter_([_plain(output)], [_plain(t) for t in input_list], _resolve(group).group_name, int(op), async_op)
    return work if async_op else None


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False):
    _check_tensor(output, "output")
    _check_tensor(input, "input")
    if _outside(group, "reduce_scatter_tensor"):
        return None
    work = _c10d._reduce_scatter_base_([_plain(output)], [_plain(input)], _resolve(group).group_name, int(op), _factor(op), async_op)
    return work if async_op else None


_reduce_scatter_base = reduce_scatter_tensor


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False):
    _check_tensor(output, "output")
    _check_tensor(input, "input")
    if _outside(group, "all_to_all_single"):
        return None
    work = _c10d.alltoall_base_([_plain(output)], [_plain(input)], _resolve(group).group_name, output_split_sizes or [],
                                input_split_sizes or [], async_op)
    return work if async_op else None


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    _check_tensors(output_tensor_list, "output_tensor_list")
    _check_tensors(input_tensor_list, "input_tensor_list")
    if _outside(group, "all_to_all"):
        return None
    work = _c10d.alltoall_([_plain(t) for t in output_tensor_list], [_plain(t) for t in input_tensor_list],
                           _resolve(group).group_name, async_op)
    return work if async_op else None


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None):
    _check_tensor(tensor, "tensor")
    if _outside(group, "gather"):
        return None
    given = _resolve(group)
    root = _root(given, dst, group_dst, "dst")
    if root == given._rank:
        if not gather_list:
            raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
        _check_tensors(gather_list, "gather_list")
    elif gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    work = _c10d.gather_([_plain(t) for t in gather_list or []], [_plain(tensor)], given.group_name, root, async_op)
    return work if async_op else None


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None):
    _check_tensor(tensor, "tensor")
    if _outside(group, "scatter"):
        return None
    given = _resolve(group)
    root = _root(given, src, group_src, "src")
    if root == given._rank:
        if not scatter_list:
            raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
        _check_tensors(scatter_list, "scatter_list")
    elif scatter_list:
        raise ValueError("Argument ``scatter_list`` must NOT be specified on non-source ranks.")
    work = _c10d.scatter_([_plain(tensor)], [_plain(t) for t in scatter_list or []], given.group_name, root, async_op)
    return work if async_op else None


def barrier(group=None, async_op=False, device_ids=None):
    if _outside(group, "barrier"):
        return None
    work = _c10d.barrier(_resolve(group).group_name, async_op)
    return work if async_op else None


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    if _outside(group, "monitored_barrier"):
        return None
    work = _c10d.monitored_barrier_(_resolve(group).group_name, True)
    work.wait(timeout)


def isend(tensor, dst=None, group=None, tag=0, group_dst=None):
    given = _resolve(group)
    _check_tensor(tensor, "tensor")
    if _outside(group, "isend"):
        return None
    peer = _root(given, dst, group_dst, "dst")
    if peer == given._rank:
        raise ValueError("Invalid destination rank: destination rank should not be the same as the rank of the current process.")
    return _c10d.send([_plain(tensor)], given.group_name, peer, tag, True)


def irecv(tensor, src=None, group=None, tag=0, group_src=None):
    given = _resolve(group)
    _check_tensor(tensor, "tensor")
    if _outside(group, "irecv"):
        return None
    peer = -1 if src is None and group_src is None else _root(given, src, group_src, "src")
    if peer == given._rank:
        raise ValueError("Invalid source rank: source rank should not be the same as the rank of the current process.")
    return _c10d.recv_([_plain(tensor)], given.group_name, peer, tag, True)


def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    if src is None and group_src is None:
        return get_global_rank(_resolve(group), work.source_rank())
    return src if src is not None else get_global_rank(_resolve(group), group_src)


class P2POp:
    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op not in (isend, irecv):
            raise ValueError("Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or ``torch.distributed.irecv``.")
        _check_tensor(tensor, "tensor")
        self.op = op
        self.tensor = tensor
        self.group = _resolve(group)
        self.group_peer = _root(self.group, peer, group_peer, "peer")
        self.peer = self.group._ranks[self.group_peer]
        self.tag = tag

    def __repr__(self):
        return "P2POp(" + self.op.__name__ + " pg=" + self.group.group_name + ", group_peer=" + str(self.group_peer) + ", shape=" + \
            str(self.tensor.shape) + ", dtype=" + str(self.tensor.dtype) + ")"


def batch_isend_irecv(p2p_op_list):
    if not isinstance(p2p_op_list, list) or not all(isinstance(op, P2POp) for op in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    if not all(p2p_op_list[0].group == op.group for op in p2p_op_list):
        raise ValueError("All ops need to use the same group.")
    return [op.op(op.tensor, group=op.group, tag=op.tag, **{('group_dst' if op.op is isend else 'group_src'): op.group_peer})
            for op in p2p_op_list]


def _objects(obj, group, what):
    everything = _c10d._gather_bytes(torch._pickle_dumps(obj), group.group_name, what)
    return [torch._pickle_loads(each)[0] for each in everything]


def all_gather_object(object_list, obj, group=None):
    if _outside(group, "all_gather_object"):
        return
    given = _resolve(group)
    for i, each in enumerate(_objects(obj, given, "all_gather_object")):
        object_list[i] = each


def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    if _outside(group, "gather_object"):
        return
    given = _resolve(group)
    root = _root(given, dst, group_dst, "dst")
    is_root = root == given._rank
    if is_root and not object_gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    if not is_root and object_gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    everything = _objects(obj, given, "gather_object")
    if is_root:
        for i, each in enumerate(everything):
            object_gather_list[i] = each


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None, weights_only=False):
    if _outside(group, "broadcast_object_list"):
        return
    given = _resolve(group)
    root = _root(given, src, group_src, "src")
    everything = _objects(list(object_list) if root == given._rank else len(object_list), given, "broadcast_object_list")
    for i, each in enumerate(everything[root]):
        object_list[i] = each


def scatter_object_list(scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None):
    if _outside(group, "scatter_object_list"):
        return
    if not isinstance(scatter_object_output_list, list) or len(scatter_object_output_list) < 1:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    given = _resolve(group)
    root = _root(given, src, group_src, "src")
    everything = _objects(scatter_object_input_list if root == given._rank else None, given, "scatter_object_list")
    scatter_object_output_list[0] = everything[root][given._rank]


def send_object_list(object_list, dst=None, group=None, device=None, group_dst=None, use_batch=False):
    data = torch._pickle_dumps(list(object_list))
    body = torch.tensor(list(data), dtype=torch.uint8)
    send(torch.tensor([body.numel()]), dst, group, 0, group_dst)
    send(body, dst, group, 0, group_dst)


def recv_object_list(object_list, src=None, group=None, device=None, group_src=None, weights_only=False, use_batch=False):
    size = torch.zeros(1, dtype=torch.int64)
    source = recv(size, src, group, 0, group_src)
    body = torch.empty(int(size), dtype=torch.uint8)
    recv(body, source if src is None and group_src is None else src, group, 0, group_src)
    for i, each in enumerate(torch._pickle_loads(bytes(body.tolist()))[0]):
        object_list[i] = each
    return source


def _broadcast_coalesced(process_group, tensors, buffer_size, src=0):
    for tensor in tensors:
        _c10d.broadcast_([tensor.detach()], process_group.group_name, src, False)


def get_pg_count():
    return 1 if is_initialized() else 0


def _absent(name):
    def absent(*args, **kwargs):
        raise NotImplementedError("torch.distributed." + name + " is not here")
    return absent


TCPStore = _absent('TCPStore')
FileStore = _absent('FileStore')
HashStore = _absent('HashStore')
PrefixStore = _absent('PrefixStore')
split_group = _absent('split_group')

from torch.distributed import nn, distributed_c10d
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh


class GradBucket:
    def __init__(self, index, is_last, buffer, gradients, parameters):
        self._index = index
        self._is_last = is_last
        self._buffer = buffer
        self._gradients = gradients
        self._parameters = parameters

    def index(self):
        return self._index

    def is_last(self):
        return self._is_last

    def buffer(self):
        return self._buffer

    def gradients(self):
        return self._gradients

    def parameters(self):
        return self._parameters

    def set_buffer(self, buffer):
        if buffer.shape != self._buffer.shape:
            raise RuntimeError("set_buffer: the buffer's shape is not the bucket's")
        self._buffer.copy_(buffer)
