# SPDX-License-Identifier: Apache-2.0
# Collectives that gradients flow through: in backward each is the one that undoes it.
import torch
import torch.distributed as dist
from torch.autograd import Function
from torch.distributed import ReduceOp


def _group(group):
    return dist._get_default_group() if group is None else group


class _Broadcast(Function):
    @staticmethod
    def forward(ctx, src, group, tensor):
        ctx.src = src
        ctx.group = group
        out = tensor.clone()
        dist.broadcast(out, src, group=group)
        return out

    @staticmethod
    def backward(ctx, grad_output):
        gx = grad_output.clone().contiguous()
        dist.reduce(gx, ctx.src, ReduceOp.SUM, group=ctx.group)
        if ctx.src != dist.get_rank(group=ctx.group):
            gx.zero_()
        return None, None, gx


class _Gather(Function):
    @staticmethod
    def forward(ctx, dst, group, tensor):
        ctx.dst = dst
        ctx.group = group
        tensor = tensor.contiguous()
        out = [torch.zeros_like(tensor) for _ in range(dist.get_world_size(group=group))]
        dist.gather(tensor, out if dist.get_rank(group=group) == dst else None, dst, group=group)
        return tuple(out)

    @staticmethod
    def backward(ctx, *grad_outputs):
        out = torch.zeros_like(grad_outputs[0])
        mine = dist.get_rank(group=ctx.group) == ctx.dst
        dist.scatter(out, [g.contiguous() for g in grad_outputs] if mine else None, ctx.dst, group=ctx.group)
        return None, None, out


class _Scatter(Function):
    @staticmethod
    def forward(ctx, src, group, *tensors):
        ctx.src = src
        ctx.group = group
        out = torch.zeros_like(tensors[0])
        dist.scatter(out, [t.contiguous() for t in tensors] if dist.get_rank(group=group) == src else None, src, group=group)
        return out

    @staticmethod
    def backward(ctx, grad_output):
        size = dist.get_world_size(group=ctx.group)
        out = [torch.zeros_like(grad_output) for _ in range(size)]
        mine = dist.get_rank(group=ctx.group) == ctx.src
        dist.gather(grad_output.contiguous(), out if mine else None, ctx.src, group=ctx.group)
        return (None, None) + tuple(out)


class _Reduce(Function):
    @staticmethod
    def forward(ctx, src, op, group, tensor):
        ctx.src = src
        ctx.group = group
        out = tensor.clone()
        dist.reduce(out, src, op=op, group=group)
        return out

    @staticmethod
    def backward(ctx, grad_output):
        out = grad_output.clone().contiguous()
        dist.broadcast(out, ctx.src, group=ctx.group)
        return None, None, None, out


class _Reduce_Scatter(Function):
    @staticmethod
    def forward(ctx, op, group, tensor, *inputs):
        ctx.group = group
        out = tensor.clone()
        dist.reduce_scatter(out, [t.contiguous() for t in inputs], op=op, group=group)
        return out

    @staticmethod
    def backward(ctx, grad_output):
        out = [torch.zeros_like(grad_output) for _ in range(dist.get_world_size(group=ctx.group))]
        dist.all_gather(out, grad_output.contiguous(), group=ctx.group)
        return (None, None, None) + tuple(out)


class _AllGather(Function):
    @staticmethod
    def forward(ctx, group, tensor):
        ctx.group = group
        tensor = tensor.contiguous()
        out = [torch.empty_like(tensor) for _ in range(dist.get_world_size(group=group))]
        dist.all_gather(out, tensor, group=group)
        return tuple(out)

    @staticmethod
    def backward(ctx, *grad_outputs):
        gx = torch.empty_like(grad_outputs[dist.get_rank(group=ctx.group)]).contiguous()
        dist.reduce_scatter(gx, [g.contiguous() for g in grad_outputs], group=ctx.group)
        return None, gx


class _AllGatherBase(Function):
    @staticmethod
    def forward(ctx, output_tensor, input_tensor, group):
        ctx.group = group
        out = torch.empty_like(output_tensor)
        dist.all_gather_into_tensor(out, input_tensor.contiguous(), group=group)
        return out

    @staticmethod
    def backward(ctx, grad_output):
        size = dist.get_world_size(group=ctx.group)
        shape = list(grad_output.shape)
        shape[0] = shape[0] // size
        gx = torch.empty(shape, dtype=grad_output.dtype)
        dist.reduce_scatter_tensor(gx, grad_output.contiguous(), group=ctx.group)
        return None, gx, None


class _AlltoAll(Function):
    @staticmethod
    def forward(ctx, group, out_tensor_list, *tensors):
        ctx.group = group
        rank = dist.get_rank(group=group)
        out = [torch.empty_like(t) for t in out_tensor_list]
        ctx.shapes = [t.shape for t in tensors]
        dist.all_to_all(out, [t.contiguous() for t in tensors], group=group)
        return tuple(out)

    @staticmethod
    def backward(ctx, *grad_outputs):
        out = [torch.empty(shape, dtype=grad_outputs[0].dtype) for shape in ctx.shapes]
        dist.all_to_all(out, [g.contiguous() for g in grad_outputs], group=ctx.group)
        return (None, None) + tuple(out)


class _AlltoAllSingle(Function):
    @staticmethod
    def forward(ctx, group, output, output_split_sizes, input_split_sizes, input):
        ctx.group = group
        ctx.shape = input.shape
        ctx.output_split_sizes = input_split_sizes
        ctx.input_split_sizes = output_split_sizes
        out = torch.empty_like(output)
        dist.all_to_all_single(out, input.contiguous(), output_split_sizes, input_split_sizes, group=group)
        return out

    @staticmethod
    def backward(ctx, grad_output):
        out = torch.empty(ctx.shape, dtype=grad_output.dtype)
        dist.all_to_all_single(out, grad_output.contiguous(), ctx.output_split_sizes, ctx.input_split_sizes, group=ctx.group)
        return None, None, None, None, out


class _AllReduce(Function):
    @staticmethod
    def forward(ctx, op, group, tensor):
        ctx.group = group
        ctx.op = op
        out = tensor.clone().contiguous()
        dist.all_reduce(out, op=op, group=group)
        return out

    @staticmethod
    def backward(ctx, grad_output):
        out = grad_output.clone().contiguous()
        dist.all_reduce(out, op=ctx.op, group=ctx.group)
        return None, None, out


def broadcast(tensor, src, group=None):
    return _Broadcast.apply(src, _group(group), tensor)


def gather(tensor, dst=0, group=None):
    return _Gather.apply(dst, _group(group), tensor)


def scatter(tensors, src=0, group=None):
    return _Scatter.apply(src, _group(group), *tensors)


def reduce(tensor, dst, op=ReduceOp.SUM, group=None):
    return _Reduce.apply(dst, op, _group(group), tensor)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None):
    return _Reduce_Scatter.apply(op, _group(group), output, *input_list)


def all_gather(tensor, group=None):
    return _AllGather.apply(_group(group), tensor)


def _all_gather_base(output_tensor, input_tensor, group=None):
    return _AllGatherBase.apply(output_tensor, input_tensor, _group(group))


def all_to_all(output_tensor_list, input_tensor_list, group=None):
    return _AlltoAll.apply(_group(group), output_tensor_list, *input_tensor_list)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None):
    return _AlltoAllSingle.apply(_group(group), output, output_split_sizes, input_split_sizes, input)


def all_reduce(tensor, op=ReduceOp.SUM, group=None):
    return _AllReduce.apply(op, _group(group), tensor)
