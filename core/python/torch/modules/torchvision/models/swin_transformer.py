# SPDX-License-Identifier: Apache-2.0
import math
from functools import partial
import torch
import torch.nn.functional as F
from torch import nn
from torchvision.models._api import named_weights as __getattr__, with_weights
from torchvision.ops.misc import MLP, Permute
from torchvision.ops import StochasticDepth


def _patch_merging_pad(x):
    height, width, _ = x.shape[-3:]
    x = F.pad(x, (0, 0, 0, width % 2, 0, height % 2))
    return torch.cat([x[..., i::2, j::2, :] for j in (0, 1) for i in (0, 1)], -1)


def _get_relative_position_bias(table, index, window_size):
    n = window_size[0] * window_size[1]
    return table[index].view(n, n, -1).permute(2, 0, 1).contiguous().unsqueeze(0)


class PatchMerging(nn.Module):
    def __init__(self, dim, norm_layer=nn.LayerNorm):
        super().__init__()
        self.dim = dim
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = norm_layer(4 * dim)

    def forward(self, x):
        return self.reduction(self.norm(_patch_merging_pad(x)))


class PatchMergingV2(nn.Module):
    def __init__(self, dim, norm_layer=nn.LayerNorm):
        super().__init__()
        self.dim = dim
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)
        self.norm = norm_layer(2 * dim)

    def forward(self, x):
        return self.norm(self.reduction(_patch_merging_pad(x)))


def _shift_mask(x, height, width, window_size, shift_size):
    """What windows hold of regions that are no neighbours before the shift: -100, else 0. [windows, places, places]"""
    mask = x.new_zeros((height, width))
    count = 0
    for rows in ((0, -window_size[0]), (-window_size[0], -shift_size[0]), (-shift_size[0], None)):
        for columns in ((0, -window_size[1]), (-window_size[1], -shift_size[1]), (-shift_size[1], None)):
            mask[rows[0]:rows[1], columns[0]:columns[1]] = count
            count += 1
    mask = mask.view(height // window_size[0], window_size[0], width // window_size[1], window_size[1])
    mask = mask.permute(0, 2, 1, 3).reshape(-1, window_size[0] * window_size[1])
    mask = mask.unsqueeze(1) - mask.unsqueeze(2)
    return mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0)


def shifted_window_attention(input, qkv_weight, proj_weight, relative_position_bias, window_size, num_heads, shift_size,
                             attention_dropout=0.0, dropout=0.0, qkv_bias=None, proj_bias=None, logit_scale=None, training=True):
    """input: [N, H, W, C]."""
    B, H, W, C = input.shape
    x = F.pad(input, (0, 0, 0, (window_size[1] - W % window_size[1]) % window_size[1],
                      0, (window_size[0] - H % window_size[0]) % window_size[0]))
    _, pad_H, pad_W, _ = x.shape
    shift_size = [0 if window >= size else shift for shift, window, size in zip(shift_size, window_size, (pad_H, pad_W))]
    is_shifted = sum(shift_size) > 0
    if is_shifted:
        x = torch.roll(x, shifts=(-shift_size[0], -shift_size[1]), dims=(1, 2))
    rows, columns = pad_H // window_size[0], pad_W // window_size[1]
    num_windows = rows * columns
    x = x.view(B, rows, window_size[0], columns, window_size[1], C)
    x = x.permute(0, 1, 3, 2, 4, 5).reshape(B * num_windows, window_size[0] * window_size[1], C)
    if logit_scale is not None and qkv_bias is not None:
        qkv_bias = qkv_bias.clone()
        length = qkv_bias.numel() // 3
        qkv_bias[length:2 * length].zero_()
    qkv = F.linear(x, qkv_weight, qkv_bias)
    qkv = qkv.reshape(x.size(0), x.size(1), 3, num_heads, C // num_heads).permute(2, 0, 3, 1, 4)
    q, k, v = qkv[0], qkv[1], qkv[2]
    if logit_scale is not None:
        attn = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
        attn = attn * torch.clamp(logit_scale, max=math.log(100.0)).exp()
    else:
        q = q * (C // num_heads) ** -0.5
        attn = q.matmul(k.transpose(-2, -1))
    attn = attn + relative_position_bias
    if is_shifted:
        attn = attn.view(x.size(0) // num_windows, num_windows, num_heads, x.size(1), x.size(1))
        attn = attn + _shift_mask(x, pad_H, pad_W, window_size, shift_size).unsqueeze(1).unsqueeze(0)
        attn = attn.view(-1, num_heads, x.size(1), x.size(1))
    attn = F.dropout(F.softmax(attn, dim=-1), p=attention_dropout, training=training)
    x = attn.matmul(v).transpose(1, 2).reshape(x.size(0), x.size(1), C)
    x = F.dropout(F.linear(x, proj_weight, proj_bias), p=dropout, training=training)
    x = x.view(B, rows, columns, window_size[0], window_size[1], C).permute(0, 1, 3, 2, 4, 5).reshape(B, pad_H, pad_W, C)
    if is_shifted:
        x = torch.roll(x, shifts=(shift_size[0], shift_size[1]), dims=(1, 2))
    return x[:, :H, :W, :].contiguous()


class ShiftedWindowAttention(nn.Module):
    def __init__(self, dim, window_size, shift_size, num_heads, qkv_bias=True, proj_bias=True, attention_dropout=0.0, dropout=0.0):
        super().__init__()
        if len(window_size) != 2 or len(shift_size) != 2:
            raise ValueError('window_size and shift_size must be of length 2')
        self.window_size = window_size
        self.shift_size = shift_size
        self.num_heads = num_heads
        self.attention_dropout = attention_dropout
        self.dropout = dropout
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.proj = nn.Linear(dim, dim, bias=proj_bias)
        self.define_relative_position_bias_table()
        self.define_relative_position_index()

    def define_relative_position_bias_table(self):
        self.relative_position_bias_table = nn.Parameter(
            torch.zeros((2 * self.window_size[0] - 1) * (2 * self.window_size[1] - 1), self.num_heads))
        nn.init.trunc_normal_(self.relative_position_bias_table, std=0.02)

    def define_relative_position_index(self):
        coords = torch.stack(torch.meshgrid(torch.arange(self.window_size[0]), torch.arange(self.window_size[1]), indexing='ij'))
        coords = torch.flatten(coords, 1)
        relative = (coords[:, :, None] - coords[:, None, :]).permute(1, 2, 0).contiguous()
        relative[:, :, 0] += self.window_size[0] - 1
        relative[:, :, 1] += self.window_size[1] - 1
        relative[:, :, 0] *= 2 * self.window_size[1] - 1
        self.register_buffer('relative_position_index', relative.sum(-1).flatten())

    def get_relative_position_bias(self):
        return _get_relative_position_bias(self.relative_position_bias_table, self.relative_position_index, self.window_size)

    def forward(self, x):
        return shifted_window_attention(x, self.qkv.weight, self.proj.weight, self.get_relative_position_bias(), self.window_size,
                                        self.num_heads, shift_size=self.shift_size, attention_dropout=self.attention_dropout,
                                        dropout=self.dropout, qkv_bias=self.qkv.bias, proj_bias=self.proj.bias,
                                        logit_scale=getattr(self, 'logit_scale', None), training=self.training)


class ShiftedWindowAttentionV2(ShiftedWindowAttention):
    def __init__(self, dim, window_size, shift_size, num_heads, qkv_bias=True, proj_bias=True, attention_dropout=0.0, dropout=0.0):
        super().__init__(dim, window_size, shift_size, num_heads, qkv_bias, proj_bias, attention_dropout, dropout)
        self.logit_scale = nn.Parameter(torch.log(10 * torch.ones((num_heads, 1, 1))))
        self.cpb_mlp = nn.Sequential(nn.Linear(2, 512, bias=True), nn.ReLU(inplace=True), nn.Linear(512, num_heads, bias=False))
        if qkv_bias:
            length = self.qkv.bias.numel() // 3
            self.qkv.bias[length:2 * length].data.zero_()

    def define_relative_position_bias_table(self):
        sides = [torch.arange(-(size - 1), size, dtype=torch.float32) for size in self.window_size]
        table = torch.stack(torch.meshgrid(sides, indexing='ij')).permute(1, 2, 0).contiguous().unsqueeze(0)
        table[:, :, :, 0] /= self.window_size[0] - 1
        table[:, :, :, 1] /= self.window_size[1] - 1
        table *= 8
        table = torch.sign(table) * torch.log2(torch.abs(table) + 1.0) / 3.0
        self.register_buffer('relative_coords_table', table)

    def get_relative_position_bias(self):
        bias = _get_relative_position_bias(self.cpb_mlp(self.relative_coords_table).view(-1, self.num_heads),
                                           self.relative_position_index, self.window_size)
        return 16 * torch.sigmoid(bias)


class SwinTransformerBlock(nn.Module):
    def __init__(self, dim, num_heads, window_size, shift_size, mlp_ratio=4.0, dropout=0.0, attention_dropout=0.0,
                 stochastic_depth_prob=0.0, norm_layer=nn.LayerNorm, attn_layer=ShiftedWindowAttention):
        super().__init__()
        self.norm1 = norm_layer(dim)
        self.attn = attn_layer(dim, window_size, shift_size, num_heads, attention_dropout=attention_dropout, dropout=dropout)
        self.stochastic_depth = StochasticDepth(stochastic_depth_prob, 'row')
        self.norm2 = norm_layer(dim)
        self.mlp = MLP(dim, [int(dim * mlp_ratio), dim], activation_layer=nn.GELU, inplace=None, dropout=dropout)
        for m in self.mlp.modules():
            if isinstance(m, nn.Linear):
                nn.init.xavier_uniform_(m.weight)
                if m.bias is not None:
                    nn.init.normal_(m.bias, std=1e-6)

    def forward(self, x):
        x = x + self.stochastic_depth(self.attn(self.norm1(x)))
        return x + self.stochastic_depth(self.mlp(self.norm2(x)))


class SwinTransformerBlockV2(SwinTransformerBlock):
    def __init__(self, dim, num_heads, window_size, shift_size, mlp_ratio=4.0, dropout=0.0, attention_dropout=0.0,
                 stochastic_depth_prob=0.0, norm_layer=nn.LayerNorm, attn_layer=ShiftedWindowAttentionV2):
        super().__init__(dim, num_heads, window_size, shift_size, mlp_ratio, dropout, attention_dropout, stochastic_depth_prob,
                         norm_layer, attn_layer)

    def forward(self, x):
        x = x + self.stochastic_depth(self.norm1(self.attn(x)))
        return x + self.stochastic_depth(self.norm2(self.mlp(x)))


class SwinTransformer(nn.Module):
    def __init__(self, patch_size, embed_dim, depths, num_heads, window_size, mlp_ratio=4.0, dropout=0.0, attention_dropout=0.0,
                 stochastic_depth_prob=0.1, num_classes=1000, norm_layer=None, block=None, downsample_layer=PatchMerging):
        super().__init__()
        self.num_classes = num_classes
        block = block or SwinTransformerBlock
        norm_layer = norm_layer or partial(nn.LayerNorm, eps=1e-5)
        layers = [nn.Sequential(nn.Conv2d(3, embed_dim, kernel_size=(patch_size[0], patch_size[1]),
                                          stride=(patch_size[0], patch_size[1])),
                                Permute([0, 2, 3, 1]), norm_layer(embed_dim))]
        count = 0
        for i, depth in enumerate(depths):
            dim = embed_dim * 2 ** i
            stage = []
            for j in range(depth):
                stage.append(block(dim, num_heads[i], window_size=window_size,
                                   shift_size=[0 if j % 2 == 0 else w // 2 for w in window_size], mlp_ratio=mlp_ratio, dropout=dropout,
                                   attention_dropout=attention_dropout,
                                   stochastic_depth_prob=stochastic_depth_prob * float(count) / (sum(depths) - 1), norm_layer=norm_layer))
                count += 1
            layers.append(nn.Sequential(*stage))
            if i < len(depths) - 1:
                layers.append(downsample_layer(dim, norm_layer))
        self.features = nn.Sequential(*layers)
        num_features = embed_dim * 2 ** (len(depths) - 1)
        self.norm = norm_layer(num_features)
        self.permute = Permute([0, 3, 1, 2])
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.flatten = nn.Flatten(1)
        self.head = nn.Linear(num_features, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.trunc_normal_(m.weight, std=0.02)
                if m.bias is not None:
                    nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.head(self.flatten(self.avgpool(self.permute(self.norm(self.features(x))))))


def _maker(embed_dim, depths, num_heads, window, stochastic_depth_prob, **fixed):
    def make(*, weights=None, pretrained=False, progress=True, **kwargs):
        model = SwinTransformer(patch_size=[4, 4], embed_dim=embed_dim, depths=depths, num_heads=num_heads, window_size=[window, window],
                                stochastic_depth_prob=stochastic_depth_prob, **fixed, **kwargs)
        return with_weights(model, weights, pretrained)
    return make


_V2 = {'block': SwinTransformerBlockV2, 'downsample_layer': PatchMergingV2}
swin_t = _maker(96, [2, 2, 6, 2], [3, 6, 12, 24], 7, 0.2)
swin_s = _maker(96, [2, 2, 18, 2], [3, 6, 12, 24], 7, 0.3)
swin_b = _maker(128, [2, 2, 18, 2], [4, 8, 16, 32], 7, 0.5)
swin_v2_t = _maker(96, [2, 2, 6, 2], [3, 6, 12, 24], 8, 0.2, **_V2)
swin_v2_s = _maker(96, [2, 2, 18, 2], [3, 6, 12, 24], 8, 0.3, **_V2)
swin_v2_b = _maker(128, [2, 2, 18, 2], [4, 8, 16, 32], 8, 0.5, **_V2)
