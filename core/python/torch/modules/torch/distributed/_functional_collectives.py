# SPDX-License-Identifier: Apache-2.0
# Collectives that give new tensors: operators of _c10d_functional, whose results wait_tensor waits for.
import torch
import torch.distributed as dist


def _name(group, tag=''):
    if isinstance(group, str):
        return group
    if isinstance(group, (list, tuple)) and len(group) == 2 and not isinstance(group[0], int):
        return group[0].get_group(group[1]).group_name
    if isinstance(group, (list, tuple)):
        raise NotImplementedError("a group as a list of ranks is not here; give the ProcessGroup")
    return dist._resolve(group).group_name


def wait_tensor(tensor):
    return torch.ops._c10d_functional.wait_tensor(tensor)


def broadcast(self, src, group, tag=''):
    return wait_tensor(torch.ops._c10d_functional.broadcast(self, src, _name(group)))


def all_reduce(self, reduceOp, group, tag=''):
    return wait_tensor(torch.ops._c10d_functional.all_reduce(self, reduceOp.lower(), _name(group)))


def _size(name):
    import _c10d
    return _c10d._group_facts(name)[1]


def all_gather_tensor(self, gather_dim, group, tag=''):
    name = _name(group)
    size = _size(name)
    out = wait_tensor(torch.ops._c10d_functional.all_gather_into_tensor(self.contiguous(), size, name))
    return out if gather_dim == 0 else torch.cat(torch.chunk(out, size, dim=0), dim=gather_dim)


def reduce_scatter_tensor(self, reduceOp, scatter_dim, group, tag=''):
    name = _name(group)
    size = _size(name)
    if self.size(scatter_dim) % size != 0:
        raise AssertionError("input dimension 0 (" + str(self.size(0)) + " must be a multiple of group_size " + str(size) + ")")
    if scatter_dim != 0:
        self = torch.cat(torch.chunk(self, size, dim=scatter_dim))
    return wait_tensor(torch.ops._c10d_functional.reduce_scatter_tensor(self.contiguous(), reduceOp.lower(), size, name))


def all_to_all_single(self, output_split_sizes, input_split_sizes, group, tag=''):
    name = _name(group)
    size = _size(name)
    even = [self.size(0) // size] * size
    return wait_tensor(torch.ops._c10d_functional.all_to_all_single(self.contiguous(), output_split_sizes or even, input_split_sizes or even, name))


def all_reduce_coalesced(self, reduceOp, group, tag=''):
    return [all_reduce(t, reduceOp, group) for t in self]


def all_gather_into_tensor_coalesced(self, group, tag=''):
    return [all_gather_tensor(t, 0, group) for t in self]


def reduce_scatter_tensor_coalesced(inputs, reduceOp, scatter_dim, group, tag=''):
    return [reduce_scatter_tensor(t, reduceOp, dim, group) for t, dim in zip(inputs, scatter_dim)]


# Through these gradients flow.
class _AllReduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor, op, group):
        ctx.group = group
        return all_reduce(tensor, op, group)

    @staticmethod
    def backward(ctx, grad):
        return all_reduce(grad.contiguous(), 'sum', ctx.group), None, None


class _AllGather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor, dim, group):
        ctx.dim = dim
        ctx.group = group
        return all_gather_tensor(tensor, dim, group)

    @staticmethod
    def backward(ctx, grad):
        return reduce_scatter_tensor(grad.contiguous(), 'sum', ctx.dim, ctx.group), None, None


class _ReduceScatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor, op, dim, group):
        ctx.dim = dim
        ctx.group = group
        return reduce_scatter_tensor(tensor, op, dim, group)

    @staticmethod
    def backward(ctx, grad):
        return all_gather_tensor(grad.contiguous(), ctx.dim, ctx.group), None, None, None


def all_gather_tensor_autograd(self, gather_dim, group, tag=''):
    return _AllGather.apply(self, gather_dim, group)


def reduce_scatter_tensor_autograd(self, reduceOp, scatter_dim, group, tag=''):
    return _ReduceScatter.apply(self, reduceOp, scatter_dim, group)
