# SPDX-License-Identifier: Apache-2.0
# Tensor parallelism of linear layers, embeddings and norms. Between modules there are plain local tensors, as PyTorch's
# default (use_local_output=True); parameters are the local parts themselves.
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.tensor import Replicate, Shard


# Of what all ranks have: each gives a part of its gradient.
class _Copy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor, group):
        ctx.group = group
        return tensor.view_as(tensor)

    @staticmethod
    def backward(ctx, grad):
        return funcol.all_reduce(grad.contiguous(), 'sum', ctx.group), None


class _Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor, group):
        return funcol.all_reduce(tensor.contiguous(), 'sum', group)

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class _SumScatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor, dim, group):
        ctx.dim = dim
        ctx.group = group
        return funcol.reduce_scatter_tensor(tensor.contiguous(), 'sum', dim, group)

    @staticmethod
    def backward(ctx, grad):
        return funcol.all_gather_tensor(grad.contiguous(), ctx.dim, ctx.group), None, None


# The whole of shards, whose gradient all ranks have: each keeps its part.
class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor, dim, group):
        ctx.dim = dim
        ctx.group = group
        return funcol.all_gather_tensor(tensor.contiguous(), dim, group)

    @staticmethod
    def backward(ctx, grad):
        size = dist.get_world_size(ctx.group)
        return torch.chunk(grad, size, dim=ctx.dim)[dist.get_rank(ctx.group)].contiguous(), None, None


# The whole of shards, to which each rank gives a part of the gradient.
class _GatherSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor, dim, group):
        ctx.dim = dim
        ctx.group = group
        return funcol.all_gather_tensor(tensor.contiguous(), dim, group)

    @staticmethod
    def backward(ctx, grad):
        return funcol.reduce_scatter_tensor(grad.contiguous(), 'sum', ctx.dim, ctx.group), None, None


class _Split(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensor, dim, group):
        ctx.dim = dim
        ctx.group = group
        size = dist.get_world_size(group)
        return torch.chunk(tensor, size, dim=dim)[dist.get_rank(group)].contiguous()

    @staticmethod
    def backward(ctx, grad):
        return funcol.all_gather_tensor(grad.contiguous(), ctx.dim, ctx.group), None, None


def _positive(placement, tensor):
    return placement.dim if placement.dim >= 0 else placement.dim + tensor.dim()


def _shard(parameter, dim, group):
    size = dist.get_world_size(group)
    if parameter.size(dim) % size != 0:
        raise NotImplementedError("a dimension of " + str(parameter.size(dim)) + " over " + str(size) + " ranks: uneven shards are not here")
    part = torch.chunk(parameter.detach(), size, dim=dim)[dist.get_rank(group)].clone()
    return nn.Parameter(part, requires_grad=parameter.requires_grad)


class ParallelStyle:
    src_data_rank = 0

    def _apply(self, module, device_mesh):
        raise NotImplementedError(type(self).__name__ + "._apply")


def _check_local(use_local_output):
    if not use_local_output:
        raise NotImplementedError("use_local_output=False: DTensor is not here")


class ColwiseParallel(ParallelStyle):
    def __init__(self, *, input_layouts=None, output_layouts=None, use_local_output=True):
        _check_local(use_local_output)
        self.input_layouts = input_layouts or Replicate()
        self.output_layouts = output_layouts or Shard(-1)

    def _apply(self, module, device_mesh):
        group = device_mesh.get_group()
        if isinstance(module, nn.Linear):
            module.weight = _shard(module.weight, 0, group)
            if module.bias is not None:
                module.bias = _shard(module.bias, 0, group)
        elif isinstance(module, nn.Embedding):
            module.weight = _shard(module.weight, 1, group)
        else:
            raise NotImplementedError("ColwiseParallel currently only support nn.Linear and nn.Embedding!")
        takes_shards = isinstance(self.input_layouts, Shard)
        is_linear = isinstance(module, nn.Linear)

        def before(module, inputs):
            x = inputs[0]
            if takes_shards:
                x = _GatherSum.apply(x, _positive(self.input_layouts, x), group)
            elif is_linear:
                x = _Copy.apply(x, group)
            return (x,) + tuple(inputs[1:])

        def after(module, inputs, output):
            if isinstance(self.output_layouts, Replicate):
                return _Gather.apply(output, output.dim() - 1, group)
            dim = _positive(self.output_layouts, output)
            if dim != output.dim() - 1:
                return _Split.apply(_Gather.apply(output, output.dim() - 1, group), dim, group)
            return output
        module.register_forward_pre_hook(before)
        module.register_forward_hook(after)
        return module


class RowwiseParallel(ParallelStyle):
    def __init__(self, *, input_layouts=None, output_layouts=None, use_local_output=True):
        _check_local(use_local_output)
        self.input_layouts = input_layouts or Shard(-1)
        self.output_layouts = output_layouts or Replicate()

    def _finish(self, output, group):
        if isinstance(self.output_layouts, Replicate):
            return _Sum.apply(output, group)
        return _SumScatter.apply(output, _positive(self.output_layouts, output), group)

    def _apply(self, module, device_mesh):
        group = device_mesh.get_group()
        if isinstance(module, nn.Linear):
            module.weight = _shard(module.weight, 1, group)

            # The bias is added once, to the sum.
            def linear(x):
                if not isinstance(self.input_layouts, Shard):
                    x = _Split.apply(x, x.dim() - 1, group)
                out = self._finish(F.linear(x, module.weight), group)
                return out if module.bias is None else out + module.bias
            module.forward = linear
        elif isinstance(module, nn.Embedding):
            module.weight = _shard(module.weight, 0, group)
            rows = module.weight.size(0)
            first = rows * dist.get_rank(group)

            def embedding(x):
                x = x - first
                outside = (x < 0) | (x >= rows)
                out = F.embedding(x.masked_fill(outside, 0), module.weight)
                return self._finish(out.masked_fill(outside.unsqueeze(-1), 0.0), group)
            module.forward = embedding
        else:
            raise NotImplementedError("RowwiseParallel currently only support nn.Linear and nn.Embedding!")
        return module


class SequenceParallel(ParallelStyle):
    def __init__(self, *, sequence_dim=1, use_local_output=False):
        self.sequence_dim = sequence_dim

    # Each rank has seen its part of the sequence.
    def _apply(self, module, device_mesh):
        group = device_mesh.get_group()
        for parameter in module.parameters():
            parameter.register_hook(lambda grad: funcol.all_reduce(grad.contiguous(), 'sum', group))
        return module


class PrepareModuleInput(ParallelStyle):
    def __init__(self, *, input_layouts=None, desired_input_layouts=None, input_kwarg_layouts=None, desired_input_kwarg_layouts=None,
                 use_local_output=True):
        _check_local(use_local_output)
        if input_kwarg_layouts:
            raise NotImplementedError("PrepareModuleInput(input_kwarg_layouts=...) is not here")
        as_tuple = lambda x: x if isinstance(x, tuple) else (x,)
        self.input_layouts = as_tuple(input_layouts)
        self.desired_input_layouts = as_tuple(desired_input_layouts)

    def _apply(self, module, device_mesh):
        group = device_mesh.get_group()

        def before(module, inputs):
            return tuple(_moved(x, have, want, group) for x, have, want in zip(inputs, self.input_layouts, self.desired_input_layouts))
        module.register_forward_pre_hook(before)
        return module


class PrepareModuleOutput(ParallelStyle):
    def __init__(self, *, output_layouts, desired_output_layouts, use_local_output=True):
        _check_local(use_local_output)
        self.output_layouts = output_layouts
        self.desired_output_layouts = desired_output_layouts

    def _apply(self, module, device_mesh):
        group = device_mesh.get_group()
        module.register_forward_hook(lambda m, i, out: _moved(out, self.output_layouts, self.desired_output_layouts, group))
        return module


def _moved(tensor, have, want, group):
    if have is None or want is None or have == want:
        return tensor
    if isinstance(have, Shard) and isinstance(want, Replicate):
        return _Gather.apply(tensor, _positive(have, tensor), group)
    if isinstance(have, Replicate) and isinstance(want, Shard):
        return _Split.apply(tensor, _positive(want, tensor), group)
    raise NotImplementedError("a tensor from " + str(have) + " to " + str(want) + " is not here")


def parallelize_module(module, device_mesh=None, parallelize_plan=None, *, src_data_rank=0):
    if device_mesh is None:
        from torch.distributed.device_mesh import init_device_mesh
        device_mesh = init_device_mesh('cpu', (dist.get_world_size(),))
    if device_mesh.ndim != 1:
        raise ValueError("Parallelize Module only accepts 1D DeviceMesh, but found " + str(device_mesh.ndim) + "D!")
    if isinstance(parallelize_plan, ParallelStyle):
        return parallelize_plan._apply(module, device_mesh)
    if not isinstance(parallelize_plan, dict):
        raise TypeError("Expect Union[ParallelStyle, Dict[str, ParallelStyle]] for parallelize_plan, " + str(type(parallelize_plan)) + " found!")
    import fnmatch
    for path, style in parallelize_plan.items():
        found = [m for name, m in module.named_modules() if name and fnmatch.fnmatch(name, path) and name.count('.') == path.count('.')]
        if not found:
            import warnings
            warnings.warn("Parallelize plan key '" + path + "' could not be resolved: no submodule matching token '" + path.split('.')[0] + "'")
        for each in found:
            style._apply(each, device_mesh)
    return module
