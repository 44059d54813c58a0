# SPDX-License-Identifier: Apache-2.0
# Tensors of which each rank of a mesh holds a part. Operators run on the parts where each element is treated by itself
# (core/ops/distributed/sharded.cpp); here is what moves elements between ranks.
import torch
import torch.distributed as dist
import _c10d
from _c10d import DTensor
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh


def _absent(name):
    def absent(*args, **kwargs):
        raise NotImplementedError("torch.distributed.tensor." + name + " is not here; distribute_tensor and DTensor.from_local are")
    return absent


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


# Of each rank the norm of its part.
class _NormPartial(Partial):
    def __init__(self, norm_type):
        self.reduce_op = 'norm'
        self.norm_type = norm_type

    def __repr__(self):
        kind = self.norm_type
        return '_NormPartial(' + str(int(kind) if kind == int(kind) else kind) + ')'

    def __eq__(self, other):
        return isinstance(other, _NormPartial) and other.norm_type == self.norm_type

    def __hash__(self):
        return hash(self.norm_type)


def _is_partial(placements):
    return any(each.is_partial() for each in placements)


# Of one number a rank; None: ranks of a replica would be counted twice.
def _partial(placements, reduction):
    made = Partial(reduction)
    if reduction.startswith('norm:'):
        kind = float(reduction[5:])
        made = Partial('max') if kind == float('inf') else Partial('min') if kind == -float('inf') else _NormPartial(kind)
    return tuple(made if each.is_shard() else each for each in placements)


# (rows of a rank, the first, how many), of `size` rows over `ranks`: as torch.chunk cuts.
def _chunk(size, ranks, rank):
    rows = (size + ranks - 1) // ranks
    first = min(rows * rank, size)
    return rows, first, min(rows, size - first)


def _check_placements(placements, mesh):
    if len(placements) != mesh.ndim:
        raise ValueError("`placements` must have the same length as `device_mesh.ndim`! Found placements length: " + str(len(placements)) +
                         ", and device_mesh.ndim: " + str(mesh.ndim) + ".")
    if sum(1 for each in placements if each.is_shard()) > 1:
        raise NotImplementedError("a DTensor that is sharded over two dimensions of a mesh is not here: " + str(tuple(placements)))


def _gather(local, dim, size, group):
    ranks = dist.get_world_size(group)
    rows, first, own = _chunk(size, ranks, dist.get_rank(group))
    flat = local.movedim(dim, 0).contiguous()
    if own < rows:
        flat = torch.cat([flat, flat.new_zeros([rows - own] + list(flat.shape)[1:])])
    out = torch.empty([rows * ranks] + list(flat.shape)[1:], dtype=flat.dtype)
    dist.all_gather_into_tensor(out, flat, group=group)
    return out.narrow(0, 0, size).movedim(0, dim).contiguous()


def _reduce(local, placement, group):
    out = local.clone()
    if isinstance(placement, _NormPartial):
        kind = placement.norm_type
        if kind == 0:
            dist.all_reduce(out, group=group)
            return out
        out = out.pow(kind)
        dist.all_reduce(out, group=group)
        return out.pow(1 / kind)
    ops = {'sum': dist.ReduceOp.SUM, 'avg': dist.ReduceOp.AVG, 'max': dist.ReduceOp.MAX, 'min': dist.ReduceOp.MIN,
           'product': dist.ReduceOp.PRODUCT}
    dist.all_reduce(out, op=ops[placement.reduce_op], group=group)
    return out


# All elements, on each rank.
def _whole(tensor):
    local = tensor._local_tensor
    mesh = tensor.device_mesh
    for dim in reversed(range(mesh.ndim)):
        placement = tensor.placements[dim]
        group = mesh.get_group(dim)
        if placement.is_shard():
            at = placement.dim if placement.dim >= 0 else placement.dim + len(tensor.shape)
            local = _gather(local, at, tensor.shape[at], group)
        elif placement.is_partial():
            local = _reduce(local, placement, group)
    return local


# This rank's part of all elements.
def _part(whole, mesh, placements):
    for dim, placement in enumerate(placements):
        if placement.is_shard():
            at = placement.dim if placement.dim >= 0 else placement.dim + whole.dim()
            rows, first, own = _chunk(whole.size(at), mesh.size(dim), mesh.get_local_rank(dim))
            whole = whole.narrow(at, first, own).contiguous()
        elif placement.is_partial():
            raise RuntimeError("Can not redistribute to Partial if not redistributing to Partial for internal use")
    return whole


class _ToTorchTensor(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor, whole):
        ctx.like = tensor.detach()
        ctx.whole = whole
        return (_whole(tensor) if whole else tensor._local_tensor).detach()

    @staticmethod
    def backward(ctx, grad):
        like = ctx.like
        part = _part(grad, like.device_mesh, like.placements) if ctx.whole else grad
        return _c10d._make_dtensor(part, like.shape, like.device_mesh, like.placements), None


def _to_local(self, *, grad_placements=None):
    if grad_placements is not None:
        raise NotImplementedError("DTensor.to_local(grad_placements=...) is not here")
    if not torch.is_grad_enabled():
        return self._local_tensor
    return _ToTorchTensor.apply(self, False)


def _full_tensor(self, *, grad_placements=None):
    if grad_placements is not None:
        raise NotImplementedError("DTensor.full_tensor(grad_placements=...) is not here")
    if not torch.is_grad_enabled():
        return _whole(self)
    return _ToTorchTensor.apply(self, True)


def _redistribute(self, device_mesh=None, placements=None, *, async_op=False, forward_dtype=None, backward_dtype=None):
    mesh = device_mesh if device_mesh is not None else self.device_mesh
    if placements is None:
        raise RuntimeError("placements is needed for redistribute!")
    if mesh != self.device_mesh:
        raise NotImplementedError("Cross device mesh comm not supported yet!")
    if self.requires_grad and torch.is_grad_enabled():
        raise NotImplementedError("DTensor.redistribute of a tensor that requires grad is not here; full_tensor() is")
    _check_placements(placements, mesh)
    placements = tuple(placements)
    if placements == self.placements:
        return self
    return _c10d._make_dtensor(_part(_whole(self), mesh, placements), self.shape, mesh, placements)


def _default_mesh(mesh):
    return mesh if mesh is not None else init_device_mesh('cpu', (dist.get_world_size(),))


def _from_local(local_tensor, device_mesh=None, placements=None, *, run_check=False, shape=None, stride=None, grad_placements=None):
    mesh = _default_mesh(device_mesh)
    placements = tuple(placements) if placements is not None else tuple(Replicate() for _ in range(mesh.ndim))
    _check_placements(placements, mesh)
    if local_tensor.requires_grad and torch.is_grad_enabled():
        raise NotImplementedError("DTensor.from_local of a tensor that requires grad is not here")
    if shape is None:
        shape = list(local_tensor.shape)
        for dim, placement in enumerate(placements):
            if placement.is_shard():
                shape[placement.dim] = shape[placement.dim] * mesh.size(dim)
    return _c10d._make_dtensor(local_tensor, list(shape), mesh, placements)


# Rank 0's elements, unless src_data_rank is None: then each has them.
def distribute_tensor(tensor, device_mesh=None, placements=None, *, src_data_rank=0):
    mesh = _default_mesh(device_mesh)
    placements = tuple(placements) if placements is not None else tuple(Replicate() for _ in range(mesh.ndim))
    _check_placements(placements, mesh)
    if isinstance(tensor, DTensor):
        if tensor.device_mesh != mesh or tensor.placements != placements:
            raise ValueError("Cannot distribute a DTensor with other placements or another mesh; use redistribute")
        return tensor
    whole = tensor.detach()
    if src_data_rank is not None:
        whole = whole.clone()
        for dim in range(mesh.ndim):
            dist.broadcast(whole, group_src=src_data_rank, group=mesh.get_group(dim))
    made = _c10d._make_dtensor(_part(whole, mesh, placements), tensor.shape, mesh, placements)
    if isinstance(tensor, torch.nn.Parameter):
        return torch.nn.Parameter(made, requires_grad=tensor.requires_grad)
    return made.requires_grad_(tensor.requires_grad)


# Over the parts of all ranks; clip_grad_norm_ of DTensors.
def _total_norm(gradients, norm_type):
    mesh = gradients[0].device_mesh
    norms = []
    for grad in gradients:
        if not isinstance(grad, DTensor) or grad.device_mesh != mesh:
            raise NotImplementedError("norms of gradients of several meshes, or of DTensors beside other tensors, are not here")
        norms.append(torch.linalg.vector_norm(grad._local_tensor if grad._local_tensor.numel() else torch.zeros(1), norm_type))
    # Along which dimension they are cut is nothing to a norm.
    placements = {tuple(Shard(0) if place.is_shard() else place for place in each.placements) for each in gradients}
    if len(placements) > 1:
        raise NotImplementedError("norms of gradients of several placements are not here")
    own = torch.linalg.vector_norm(torch.stack(norms), norm_type)
    for dim, placement in enumerate(gradients[0].placements):
        if placement.is_shard():
            own = _reduce(own, _partial((placement,), 'norm:' + str(float(norm_type)))[0], mesh.get_group(dim))
    return own


def _clip_grad_norm(parameters, max_norm, norm_type, error_if_nonfinite):
    gradients = [p.grad for p in parameters if p.grad is not None]
    with torch.no_grad():
        total = _total_norm(gradients, norm_type)
        if error_if_nonfinite and not torch.isfinite(total):
            raise RuntimeError("The total norm of order " + str(norm_type) + " for gradients from `parameters` is non-finite, so it cannot be "
                               "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
                               "`error_if_nonfinite=False`")
        factor = torch.clamp(max_norm / (total + 1e-6), max=1.0)
        for grad in gradients:
            grad._local_tensor.mul_(factor)
    mesh = gradients[0].device_mesh
    return _c10d._make_dtensor(total, [], mesh, tuple(Replicate() for _ in range(mesh.ndim)))


def _filled(value):
    def make(*size, dtype=None, layout=None, requires_grad=False, device_mesh=None, placements=None):
        size = list(size[0]) if len(size) == 1 and isinstance(size[0], (list, tuple)) else list(size)
        made = distribute_tensor(torch.full(size, value, dtype=dtype or torch.get_default_dtype()), device_mesh, placements, src_data_rank=None)
        return made.requires_grad_(requires_grad)
    return make


zeros = _filled(0.0)
ones = _filled(1.0)
rand = _absent('rand')
randn = _absent('randn')
