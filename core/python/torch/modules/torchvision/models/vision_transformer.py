# SPDX-License-Identifier: Apache-2.0
import math
from collections import OrderedDict
from functools import partial
import torch
from torch import nn
from torchvision.models._api import named_weights as __getattr__, with_weights
from torchvision.ops.misc import MLP, Conv2dNormActivation


class MLPBlock(MLP):
    def __init__(self, in_dim, mlp_dim, dropout):
        super().__init__(in_dim, [mlp_dim, in_dim], activation_layer=nn.GELU, inplace=None, dropout=dropout)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.xavier_uniform_(m.weight)
                if m.bias is not None:
                    nn.init.normal_(m.bias, std=1e-6)


class EncoderBlock(nn.Module):
    def __init__(self, num_heads, hidden_dim, mlp_dim, dropout, attention_dropout, norm_layer=partial(nn.LayerNorm, eps=1e-6)):
        super().__init__()
        self.num_heads = num_heads
        self.ln_1 = norm_layer(hidden_dim)
        self.self_attention = nn.MultiheadAttention(hidden_dim, num_heads, dropout=attention_dropout, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        self.ln_2 = norm_layer(hidden_dim)
        self.mlp = MLPBlock(hidden_dim, mlp_dim, dropout)

    def forward(self, input):
        x = self.ln_1(input)
        x, _ = self.self_attention(x, x, x, need_weights=False)
        x = self.dropout(x) + input
        return x + self.mlp(self.ln_2(x))


class Encoder(nn.Module):
    def __init__(self, seq_length, num_layers, num_heads, hidden_dim, mlp_dim, dropout, attention_dropout,
                 norm_layer=partial(nn.LayerNorm, eps=1e-6)):
        super().__init__()
        self.pos_embedding = nn.Parameter(torch.empty(1, seq_length, hidden_dim).normal_(std=0.02))
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.Sequential(OrderedDict([
            (f'encoder_layer_{i}', EncoderBlock(num_heads, hidden_dim, mlp_dim, dropout, attention_dropout, norm_layer))
            for i in range(num_layers)]))
        self.ln = norm_layer(hidden_dim)

    def forward(self, input):
        return self.ln(self.layers(self.dropout(input + self.pos_embedding)))


class VisionTransformer(nn.Module):
    def __init__(self, image_size, patch_size, num_layers, num_heads, hidden_dim, mlp_dim, dropout=0.0, attention_dropout=0.0,
                 num_classes=1000, representation_size=None, norm_layer=partial(nn.LayerNorm, eps=1e-6), conv_stem_configs=None):
        super().__init__()
        self.image_size = image_size
        self.patch_size = patch_size
        self.hidden_dim = hidden_dim
        self.mlp_dim = mlp_dim
        self.num_classes = num_classes
        self.representation_size = representation_size
        self.norm_layer = norm_layer
        if conv_stem_configs is not None:
            stem = nn.Sequential()
            channels = 3
            for i, layer in enumerate(conv_stem_configs):
                stem.add_module(f'conv_bn_relu_{i}', Conv2dNormActivation(
                    channels, layer.out_channels, kernel_size=layer.kernel_size, stride=layer.stride, norm_layer=layer.norm_layer,
                    activation_layer=layer.activation_layer))
                channels = layer.out_channels
            stem.add_module('conv_last', nn.Conv2d(channels, hidden_dim, kernel_size=1))
            self.conv_proj = stem
        else:
            self.conv_proj = nn.Conv2d(3, hidden_dim, kernel_size=patch_size, stride=patch_size)
        self.class_token = nn.Parameter(torch.zeros(1, 1, hidden_dim))
        self.seq_length = (image_size // patch_size) ** 2 + 1
        self.encoder = Encoder(self.seq_length, num_layers, num_heads, hidden_dim, mlp_dim, dropout, attention_dropout, norm_layer)
        heads = OrderedDict()
        if representation_size is None:
            heads['head'] = nn.Linear(hidden_dim, num_classes)
        else:
            heads['pre_logits'] = nn.Linear(hidden_dim, representation_size)
            heads['act'] = nn.Tanh()
            heads['head'] = nn.Linear(representation_size, num_classes)
        self.heads = nn.Sequential(heads)
        if isinstance(self.conv_proj, nn.Conv2d):
            fan_in = self.conv_proj.in_channels * self.conv_proj.kernel_size[0] * self.conv_proj.kernel_size[1]
            nn.init.trunc_normal_(self.conv_proj.weight, std=math.sqrt(1 / fan_in))
            nn.init.zeros_(self.conv_proj.bias)
        if hasattr(self.heads, 'pre_logits'):
            nn.init.trunc_normal_(self.heads.pre_logits.weight, std=math.sqrt(1 / self.heads.pre_logits.in_features))
            nn.init.zeros_(self.heads.pre_logits.bias)
        nn.init.zeros_(self.heads.head.weight)
        nn.init.zeros_(self.heads.head.bias)

    def _process_input(self, x):
        n = x.shape[0]
        return self.conv_proj(x).reshape(n, self.hidden_dim, -1).permute(0, 2, 1)

    def forward(self, x):
        x = self._process_input(x)
        x = torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], dim=1)
        return self.heads(self.encoder(x)[:, 0])


def _maker(patch, layers, heads, hidden, mlp):
    def make(*, weights=None, pretrained=False, progress=True, **kwargs):
        size = kwargs.pop('image_size', 224)
        return with_weights(VisionTransformer(size, patch, layers, heads, hidden, mlp, **kwargs), weights, pretrained)
    return make


vit_b_16, vit_b_32 = _maker(16, 12, 12, 768, 3072), _maker(32, 12, 12, 768, 3072)
vit_l_16, vit_l_32 = _maker(16, 24, 16, 1024, 4096), _maker(32, 24, 16, 1024, 4096)
vit_h_14 = _maker(14, 32, 16, 1280, 5120)
