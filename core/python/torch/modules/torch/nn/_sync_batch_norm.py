# SPDX-License-Identifier: Apache-2.0
# Batch normalisation over the batches of all ranks: one gather in forward, one sum in backward.
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.modules.batchnorm import _BatchNorm, _LocalSyncBatchNorm


def _wide(tensor):
    return tensor.double() if tensor.dtype == torch.float64 else tensor.float()


# Of [N, C, *] all dimensions but C.
def _others(x):
    return [d for d in range(x.dim()) if d != 1]


def _along(stats, x):
    return stats.reshape([1, -1] + [1] * (x.dim() - 2))


class _SyncBatchNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, running_mean, running_var, eps, momentum, group):
        x = _wide(input)
        channels = input.size(1)
        count = input.numel() // channels
        own = torch.zeros(2 * channels + 1, dtype=x.dtype)
        if count > 0:
            mean = x.mean(_others(x))
            squares = (x - _along(mean, x)).square().sum(_others(x))
            own = torch.cat([mean, squares, torch.full([1], float(count), dtype=x.dtype)])
        everything = [torch.empty_like(own) for _ in range(dist.get_world_size(group))]
        dist.all_gather(everything, own, group)
        means, squares, counts = torch.split(torch.stack(everything), [channels, channels, 1], dim=1)
        total = counts.sum()
        mean = (means * counts).sum(0) / total
        squares = squares.sum(0) + ((means - mean).square() * counts).sum(0)
        if running_mean is not None:
            running_mean.mul_(1 - momentum).add_((momentum * mean).to(running_mean.dtype))
            running_var.mul_(1 - momentum).add_((momentum * squares / (total - 1)).to(running_var.dtype))
        invstd = (squares / total + eps).rsqrt()
        ctx.save_for_backward(input, weight, mean, invstd, total)
        ctx.group = group
        out = (x - _along(mean, x)) * _along(invstd, x)
        if weight is not None:
            out = out * _along(_wide(weight), x)
        if bias is not None:
            out = out + _along(_wide(bias), x)
        return out.to(input.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, mean, invstd, total = ctx.saved_tensors
        x, dy = _wide(input), _wide(grad_output)
        normal = (x - _along(mean, x)) * _along(invstd, x)
        sum_dy = dy.sum(_others(x))
        sum_dy_normal = (dy * normal).sum(_others(x))
        grad_input = grad_weight = grad_bias = None
        if weight is not None and ctx.needs_input_grad[1]:
            grad_weight = sum_dy_normal.to(weight.dtype)
        if ctx.needs_input_grad[2]:
            grad_bias = sum_dy.to(grad_output.dtype if weight is None else weight.dtype)
        if ctx.needs_input_grad[0]:
            combined = torch.cat([sum_dy, sum_dy_normal])
            dist.all_reduce(combined, group=ctx.group)
            sum_dy, sum_dy_normal = torch.split(combined, input.size(1))
            scale = invstd if weight is None else invstd * _wide(weight)
            grad_input = (dy - _along(sum_dy / total, x) - normal * _along(sum_dy_normal / total, x)) * _along(scale, x)
            grad_input = grad_input.to(input.dtype)
        return grad_input, grad_weight, grad_bias, None, None, None, None, None


class SyncBatchNorm(_LocalSyncBatchNorm):
    __module__ = 'torch.nn.modules.batchnorm'

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, process_group=None, device=None,
                 dtype=None, *, bias=True):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, None, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError("expected at least 2D input (got " + str(input.dim()) + "D input)")
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    def forward(self, input):
        group = self.process_group
        syncs = self.training and dist.is_initialized()
        if not syncs or dist.get_world_size(group if group is not None else dist.group.WORLD) == 1:
            return super().forward(input)
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.track_running_stats:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / self.num_batches_tracked.item()
        tracks = self.track_running_stats
        return _SyncBatchNorm.apply(input, self.weight, self.bias, self.running_mean if tracks else None, self.running_var if tracks else None,
                                    self.eps, factor, group)

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        out = module
        if isinstance(module, _BatchNorm):
            out = SyncBatchNorm(module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats, process_group,
                                bias=module.bias is not None)
            if module.affine:
                out.weight = module.weight
                out.bias = module.bias
            out.running_mean = module.running_mean
            out.running_var = module.running_var
            out.num_batches_tracked = module.num_batches_tracked
            out.training = module.training
            if hasattr(module, 'qconfig'):
                out.qconfig = module.qconfig
        for name, child in module.named_children():
            out.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return out
