# SPDX-License-Identifier: Apache-2.0
# MaxViT: Multi-Axis Vision Transformer (Tu et al., 2022).
import math
from collections import OrderedDict
from functools import partial
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torchvision.models._api import named_weights as __getattr__, with_weights
from torchvision.models.swin_transformer import _get_relative_position_bias
from torchvision.ops import StochasticDepth
from torchvision.ops.misc import Conv2dNormActivation, SqueezeExcitation


def _get_conv_output_shape(input_size, kernel_size, stride, padding):
    return tuple((size - kernel_size + 2 * padding) // stride + 1 for size in input_size)


def _make_block_input_shapes(input_size, n_blocks):
    shapes = []
    shape = _get_conv_output_shape(input_size, 3, 2, 1)
    for _ in range(n_blocks):
        shape = _get_conv_output_shape(shape, 3, 2, 1)
        shapes.append(shape)
    return shapes


def _get_relative_position_index(height, width):
    coords = torch.flatten(torch.stack(torch.meshgrid([torch.arange(height), torch.arange(width)], indexing='ij')), 1)
    relative = (coords[:, :, None] - coords[:, None, :]).permute(1, 2, 0).contiguous()
    relative[:, :, 0] += height - 1
    relative[:, :, 1] += width - 1
    relative[:, :, 0] *= 2 * width - 1
    return relative.sum(-1)


class MBConv(nn.Module):
    def __init__(self, in_channels, out_channels, expansion_ratio, squeeze_ratio, stride, activation_layer, norm_layer,
                 p_stochastic_dropout=0.0):
        super().__init__()
        if stride != 1 or in_channels != out_channels:
            proj = [nn.Conv2d(in_channels, out_channels, kernel_size=1, stride=1, bias=True)]
            if stride == 2:
                proj = [nn.AvgPool2d(kernel_size=3, stride=stride, padding=1)] + proj
            self.proj = nn.Sequential(*proj)
        else:
            self.proj = nn.Identity()
        mid = int(out_channels * expansion_ratio)
        self.stochastic_depth = StochasticDepth(p_stochastic_dropout, mode='row') if p_stochastic_dropout else nn.Identity()
        norm_act = {'activation_layer': activation_layer, 'norm_layer': norm_layer, 'inplace': None}
        layers = OrderedDict()
        layers['pre_norm'] = norm_layer(in_channels)
        layers['conv_a'] = Conv2dNormActivation(in_channels, mid, kernel_size=1, stride=1, padding=0, **norm_act)
        layers['conv_b'] = Conv2dNormActivation(mid, mid, kernel_size=3, stride=stride, padding=1, groups=mid, **norm_act)
        layers['squeeze_excitation'] = SqueezeExcitation(mid, int(out_channels * squeeze_ratio), activation=nn.SiLU)
        layers['conv_c'] = nn.Conv2d(mid, out_channels, kernel_size=1, bias=True)
        self.layers = nn.Sequential(layers)

    def forward(self, x):
        return self.proj(x) + self.stochastic_depth(self.layers(x))


class RelativePositionalMultiHeadAttention(nn.Module):
    """x: [images, groups, places, features]; the places of a group attend to each other."""

    def __init__(self, feat_dim, head_dim, max_seq_len):
        super().__init__()
        if feat_dim % head_dim != 0:
            raise ValueError(f'feat_dim: {feat_dim} must be divisible by head_dim: {head_dim}')
        self.n_heads = feat_dim // head_dim
        self.head_dim = head_dim
        self.size = int(math.sqrt(max_seq_len))
        self.max_seq_len = max_seq_len
        self.to_qkv = nn.Linear(feat_dim, self.n_heads * self.head_dim * 3)
        self.scale_factor = feat_dim ** -0.5
        self.merge = nn.Linear(self.head_dim * self.n_heads, feat_dim)
        self.relative_position_bias_table = nn.Parameter(torch.empty(((2 * self.size - 1) ** 2, self.n_heads), dtype=torch.float32))
        self.register_buffer('relative_position_index', _get_relative_position_index(self.size, self.size))
        nn.init.trunc_normal_(self.relative_position_bias_table, std=0.02)

    def get_relative_positional_bias(self):
        return _get_relative_position_bias(self.relative_position_bias_table, self.relative_position_index.view(-1),
                                           (self.size, self.size))

    def forward(self, x):
        B, G, P, D = x.shape
        q, k, v = [each.reshape(B, G, P, self.n_heads, self.head_dim).permute(0, 1, 3, 2, 4)
                   for each in torch.chunk(self.to_qkv(x), 3, dim=-1)]
        scores = torch.einsum('B G H I D, B G H J D -> B G H I J', q, k * self.scale_factor)
        shares = F.softmax(scores + self.get_relative_positional_bias(), dim=-1)
        out = torch.einsum('B G H I J, B G H J D -> B G H I D', shares, v)
        return self.merge(out.permute(0, 1, 3, 2, 4).reshape(B, G, P, D))


class SwapAxes(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.a = a
        self.b = b

    def forward(self, x):
        return torch.swapaxes(x, self.a, self.b)


class WindowPartition(nn.Module):
    def forward(self, x, p):
        B, C, H, W = x.shape
        return x.reshape(B, C, H // p, p, W // p, p).permute(0, 2, 4, 3, 5, 1).reshape(B, (H // p) * (W // p), p * p, C)


class WindowDepartition(nn.Module):
    def forward(self, x, p, h_partitions, w_partitions):
        B, G, PP, C = x.shape
        x = x.reshape(B, h_partitions, w_partitions, p, p, C).permute(0, 5, 1, 3, 2, 4)
        return x.reshape(B, C, h_partitions * p, w_partitions * p)


class PartitionAttentionLayer(nn.Module):
    def __init__(self, in_channels, head_dim, partition_size, partition_type, grid_size, mlp_ratio, activation_layer, norm_layer,
                 attention_dropout, mlp_dropout, p_stochastic_dropout):
        super().__init__()
        self.n_heads = in_channels // head_dim
        self.head_dim = head_dim
        self.n_partitions = grid_size[0] // partition_size
        self.partition_type = partition_type
        self.grid_size = grid_size
        if partition_type not in ['grid', 'window']:
            raise ValueError("partition_type must be either 'grid' or 'window'")
        is_grid = partition_type == 'grid'
        self.p, self.g = (self.n_partitions, partition_size) if is_grid else (partition_size, self.n_partitions)
        self.partition_op = WindowPartition()
        self.departition_op = WindowDepartition()
        self.partition_swap = SwapAxes(-2, -3) if is_grid else nn.Identity()
        self.departition_swap = SwapAxes(-2, -3) if is_grid else nn.Identity()
        self.attn_layer = nn.Sequential(norm_layer(in_channels),
                                        RelativePositionalMultiHeadAttention(in_channels, head_dim, partition_size ** 2),
                                        nn.Dropout(attention_dropout))
        self.mlp_layer = nn.Sequential(nn.LayerNorm(in_channels), nn.Linear(in_channels, in_channels * mlp_ratio), activation_layer(),
                                       nn.Linear(in_channels * mlp_ratio, in_channels), nn.Dropout(mlp_dropout))
        self.stochastic_dropout = StochasticDepth(p_stochastic_dropout, mode='row')

    def forward(self, x):
        gh, gw = self.grid_size[0] // self.p, self.grid_size[1] // self.p
        torch._assert(self.grid_size[0] % self.p == 0 and self.grid_size[1] % self.p == 0,
                      f'Grid size must be divisible by partition size. Got grid size of {self.grid_size} and partition size of {self.p}')
        x = self.partition_swap(self.partition_op(x, self.p))
        x = x + self.stochastic_dropout(self.attn_layer(x))
        x = x + self.stochastic_dropout(self.mlp_layer(x))
        return self.departition_op(self.departition_swap(x), self.p, gh, gw)


class MaxVitLayer(nn.Module):
    def __init__(self, in_channels, out_channels, squeeze_ratio, expansion_ratio, stride, norm_layer, activation_layer, head_dim,
                 mlp_ratio, mlp_dropout, attention_dropout, p_stochastic_dropout, partition_size, grid_size):
        super().__init__()
        layers = OrderedDict()
        layers['MBconv'] = MBConv(in_channels, out_channels, expansion_ratio, squeeze_ratio, stride, activation_layer, norm_layer,
                                  p_stochastic_dropout)
        for name, kind in (('window_attention', 'window'), ('grid_attention', 'grid')):
            layers[name] = PartitionAttentionLayer(out_channels, head_dim, partition_size, kind, grid_size, mlp_ratio, activation_layer,
                                                   nn.LayerNorm, attention_dropout, mlp_dropout, p_stochastic_dropout)
        self.layers = nn.Sequential(layers)

    def forward(self, x):
        return self.layers(x)


class MaxVitBlock(nn.Module):
    def __init__(self, in_channels, out_channels, squeeze_ratio, expansion_ratio, norm_layer, activation_layer, head_dim, mlp_ratio,
                 mlp_dropout, attention_dropout, partition_size, input_grid_size, n_layers, p_stochastic):
        super().__init__()
        if len(p_stochastic) != n_layers:
            raise ValueError(f'p_stochastic must have length n_layers={n_layers}, got p_stochastic={p_stochastic}.')
        self.layers = nn.ModuleList()
        self.grid_size = _get_conv_output_shape(input_grid_size, kernel_size=3, stride=2, padding=1)
        for idx, p in enumerate(p_stochastic):
            self.layers.append(MaxVitLayer(in_channels if idx == 0 else out_channels, out_channels, squeeze_ratio, expansion_ratio,
                                           2 if idx == 0 else 1, norm_layer, activation_layer, head_dim, mlp_ratio, mlp_dropout,
                                           attention_dropout, p, partition_size, self.grid_size))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class MaxVit(nn.Module):
    def __init__(self, input_size, stem_channels, partition_size, block_channels, block_layers, head_dim, stochastic_depth_prob,
                 norm_layer=None, activation_layer=nn.GELU, squeeze_ratio=0.25, expansion_ratio=4, mlp_ratio=4, mlp_dropout=0.0,
                 attention_dropout=0.0, num_classes=1000):
        super().__init__()
        if norm_layer is None:
            norm_layer = partial(nn.BatchNorm2d, eps=1e-3, momentum=0.01)
        block_input_sizes = _make_block_input_shapes(input_size, len(block_channels))
        for idx, size in enumerate(block_input_sizes):
            if size[0] % partition_size != 0 or size[1] % partition_size != 0:
                raise ValueError(f'Input size {size} of block {idx} is not divisible by partition size {partition_size}. Consider '
                                 f'changing the partition size or the input size.\nCurrent configuration yields the following block input '
                                 f'sizes: {block_input_sizes}.')
        self.stem = nn.Sequential(
            Conv2dNormActivation(3, stem_channels, 3, stride=2, norm_layer=norm_layer, activation_layer=activation_layer, bias=False,
                                 inplace=None),
            Conv2dNormActivation(stem_channels, stem_channels, 3, stride=1, norm_layer=None, activation_layer=None, bias=True))
        input_size = _get_conv_output_shape(input_size, kernel_size=3, stride=2, padding=1)
        self.partition_size = partition_size
        self.blocks = nn.ModuleList()
        probabilities = np.linspace(0, stochastic_depth_prob, sum(block_layers)).tolist()
        first = 0
        for in_channel, out_channel, count in zip([stem_channels] + block_channels[:-1], block_channels, block_layers):
            self.blocks.append(MaxVitBlock(in_channel, out_channel, squeeze_ratio, expansion_ratio, norm_layer, activation_layer, head_dim,
                                           mlp_ratio, mlp_dropout, attention_dropout, partition_size, input_size, count,
                                           probabilities[first:first + count]))
            input_size = self.blocks[-1].grid_size
            first += count
        last = block_channels[-1]
        self.classifier = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.LayerNorm(last), nn.Linear(last, last), nn.Tanh(),
                                        nn.Linear(last, num_classes, bias=False))
        for m in self.modules():
            if isinstance(m, (nn.Conv2d, nn.Linear)):
                nn.init.normal_(m.weight, std=0.02)
                if m.bias is not None:
                    nn.init.zeros_(m.bias)
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.classifier(x)


def maxvit_t(*, weights=None, pretrained=False, progress=True, **kwargs):
    model = MaxVit(stem_channels=64, block_channels=[64, 128, 256, 512], block_layers=[2, 2, 5, 2], head_dim=32,
                   stochastic_depth_prob=0.2, partition_size=7, input_size=kwargs.pop('input_size', (224, 224)), **kwargs)
    return with_weights(model, weights, pretrained)
