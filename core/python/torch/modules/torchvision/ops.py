# SPDX-License-Identifier: Apache-2.0
import torch
from torch import nn
from torch.nn import functional as F
from torchvision.ops.misc import (MLP, Conv2dNormActivation, Conv3dNormActivation, ConvNormActivation, FrozenBatchNorm2d, Permute,
                                  SqueezeExcitation)
from torchvision.ops.feature_pyramid_network import FeaturePyramidNetwork
from torchvision.ops.boxes import (batched_nms, box_area, box_convert, box_iou, clip_boxes_to_image, complete_box_iou, distance_box_iou,
                                   generalized_box_iou, masks_to_boxes, nms, remove_small_boxes)
from torchvision.ops.pooling import MultiScaleRoIAlign, PSRoIAlign, PSRoIPool, RoIAlign, RoIPool, ps_roi_align, ps_roi_pool, roi_align, roi_pool


def stochastic_depth(input, p, mode, training=True):
    if p < 0.0 or p > 1.0:
        raise ValueError(f'drop probability has to be between 0 and 1, but got {p}')
    if mode not in ['batch', 'row']:
        raise ValueError(f"mode has to be either 'batch' or 'row', but got {mode}")
    if not training or p == 0.0:
        return input
    survival_rate = 1.0 - p
    size = [input.shape[0]] + [1] * (input.ndim - 1) if mode == 'row' else [1] * input.ndim
    noise = torch.empty(size, dtype=input.dtype, device=input.device).bernoulli_(survival_rate)
    if survival_rate > 0.0:
        noise.div_(survival_rate)
    return input * noise


class StochasticDepth(nn.Module):
    def __init__(self, p, mode):
        super().__init__()
        self.p = p
        self.mode = mode

    def forward(self, input):
        return stochastic_depth(input, self.p, self.mode, self.training)

    def __repr__(self):
        return f'{self.__class__.__name__}(p={self.p}, mode={self.mode})'


def _block_noise(input, p, block_size, sizes):
    lengths = [min(block_size, size) for size in sizes]
    gamma = p / block_size ** len(sizes)
    for size, length in zip(sizes, lengths):
        gamma *= size / (size - length + 1)
    noise = torch.empty(list(input.shape[:2]) + [size - block_size + 1 for size in sizes], dtype=input.dtype, device=input.device)
    noise.bernoulli_(gamma)
    return F.pad(noise, [block_size // 2] * 2 * len(sizes), value=0)


def _drop_block(input, p, block_size, inplace, eps, training, pool):
    if p < 0.0 or p > 1.0:
        raise ValueError(f'drop probability has to be between 0 and 1, but got {p}.')
    if not training or p == 0.0:
        return input
    noise = _block_noise(input, p, block_size, input.shape[2:])
    noise = 1 - pool(noise, stride=1, kernel_size=block_size, padding=block_size // 2)
    normalize_scale = noise.numel() / (eps + noise.sum())
    if inplace:
        return input.mul_(noise).mul_(normalize_scale)
    return input * noise * normalize_scale


def drop_block2d(input, p, block_size, inplace=False, eps=1e-06, training=True):
    return _drop_block(input, p, block_size, inplace, eps, training, F.max_pool2d)


def drop_block3d(input, p, block_size, inplace=False, eps=1e-06, training=True):
    return _drop_block(input, p, block_size, inplace, eps, training, F.max_pool3d)


class DropBlock2d(nn.Module):
    _function = staticmethod(drop_block2d)

    def __init__(self, p, block_size, inplace=False, eps=1e-06):
        super().__init__()
        self.p = p
        self.block_size = block_size
        self.inplace = inplace
        self.eps = eps

    def forward(self, input):
        return self._function(input, self.p, self.block_size, self.inplace, self.eps, self.training)

    def __repr__(self):
        return f'{self.__class__.__name__}(p={self.p}, block_size={self.block_size}, inplace={self.inplace})'


class DropBlock3d(DropBlock2d):
    _function = staticmethod(drop_block3d)


def sigmoid_focal_loss(inputs, targets, alpha=0.25, gamma=2, reduction='none'):
    p = torch.sigmoid(inputs)
    ce_loss = F.binary_cross_entropy_with_logits(inputs, targets, reduction='none')
    p_t = p * targets + (1 - p) * (1 - targets)
    loss = ce_loss * ((1 - p_t) ** gamma)
    if alpha >= 0:
        loss = (alpha * targets + (1 - alpha) * (1 - targets)) * loss
    return loss.mean() if reduction == 'mean' else loss.sum() if reduction == 'sum' else loss


def _box_loss(function):
    def loss_of(boxes1, boxes2, reduction='none', eps=1e-7):
        loss = 1 - torch.diagonal(function(boxes1, boxes2, eps))
        return loss.mean() if reduction == 'mean' else loss.sum() if reduction == 'sum' else loss
    return loss_of


generalized_box_iou_loss = _box_loss(lambda a, b, eps: generalized_box_iou(a, b))
distance_box_iou_loss = _box_loss(distance_box_iou)
complete_box_iou_loss = _box_loss(complete_box_iou)


def deform_conv2d(input, offset, weight, bias=None, stride=(1, 1), padding=(0, 0), dilation=(1, 1), mask=None):
    """Sampled at the offset places of each tap, then one product a group."""
    stride, padding, dilation = nn.modules.utils._pair(stride), nn.modules.utils._pair(padding), nn.modules.utils._pair(dilation)
    n, channels, height, width = input.shape
    out_channels, per_group, kh, kw = weight.shape
    out_h, out_w = offset.shape[2:]
    offset_groups = offset.shape[1] // (2 * kh * kw)
    if offset_groups == 0:
        raise RuntimeError(f'the shape of the offset tensor at dimension 1 is not valid. It should be a multiple of 2 * weight.size[2] * '
                           f'weight.size[3].\nGot offset.shape[1]={offset.shape[1]}, while 2 * weight.size[2] * weight.size[3]={2 * kh * kw}')
    shifts = offset.reshape(n, offset_groups, kh * kw, 2, out_h, out_w)
    taps_y = (torch.arange(kh) * dilation[0]).reshape(kh, 1).expand(kh, kw).reshape(1, 1, kh * kw, 1, 1)
    taps_x = (torch.arange(kw) * dilation[1]).reshape(1, kw).expand(kh, kw).reshape(1, 1, kh * kw, 1, 1)
    y = shifts[:, :, :, 0] + taps_y.to(input) + (torch.arange(out_h) * stride[0] - padding[0]).to(input).reshape(1, 1, 1, out_h, 1)
    x = shifts[:, :, :, 1] + taps_x.to(input) + (torch.arange(out_w) * stride[1] - padding[1]).to(input).reshape(1, 1, 1, 1, out_w)
    grid = torch.stack([(2 * x + 1) / width - 1, (2 * y + 1) / height - 1], -1).reshape(n * offset_groups, kh * kw * out_h, out_w, 2)
    parts = input.reshape(n * offset_groups, channels // offset_groups, height, width)
    columns = F.grid_sample(parts, grid, mode='bilinear', padding_mode='zeros', align_corners=False)
    columns = columns.reshape(n, offset_groups, channels // offset_groups, kh * kw, out_h, out_w)
    if mask is not None:
        columns = columns * mask.reshape(n, offset_groups, 1, kh * kw, out_h, out_w)
    groups = channels // per_group
    columns = columns.reshape(n, groups, per_group * kh * kw, out_h * out_w)
    out = weight.reshape(groups, out_channels // groups, per_group * kh * kw) @ columns
    out = out.reshape(n, out_channels, out_h, out_w)
    return out if bias is None else out + bias.reshape(1, -1, 1, 1)


class DeformConv2d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True):
        super().__init__()
        import math
        if in_channels % groups != 0:
            raise ValueError('in_channels must be divisible by groups')
        if out_channels % groups != 0:
            raise ValueError('out_channels must be divisible by groups')
        pair = nn.modules.utils._pair
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size, self.stride, self.padding, self.dilation = pair(kernel_size), pair(stride), pair(padding), pair(dilation)
        self.groups = groups
        self.weight = nn.Parameter(torch.empty(out_channels, in_channels // groups, self.kernel_size[0], self.kernel_size[1]))
        if bias:
            self.bias = nn.Parameter(torch.empty(out_channels))
        else:
            self.register_parameter('bias', None)
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = nn.init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in)
            nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, input, offset, mask=None):
        return deform_conv2d(input, offset, self.weight, self.bias, self.stride, self.padding, self.dilation, mask)
