# SPDX-License-Identifier: Apache-2.0
import math
from collections import OrderedDict
from functools import partial
import torch
from torch import nn
from torchvision.models._api import named_weights as __getattr__, with_weights
from torchvision.models._utils import _make_divisible
from torchvision.ops.misc import Conv2dNormActivation, SqueezeExcitation


class SimpleStemIN(Conv2dNormActivation):
    def __init__(self, width_in, width_out, norm_layer, activation_layer):
        super().__init__(width_in, width_out, kernel_size=3, stride=2, norm_layer=norm_layer, activation_layer=activation_layer)


class BottleneckTransform(nn.Sequential):
    def __init__(self, width_in, width_out, stride, norm_layer, activation_layer, group_width, bottleneck_multiplier, se_ratio):
        w_b = int(round(width_out * bottleneck_multiplier))
        layers = OrderedDict()
        layers['a'] = Conv2dNormActivation(width_in, w_b, kernel_size=1, stride=1, norm_layer=norm_layer,
                                           activation_layer=activation_layer)
        layers['b'] = Conv2dNormActivation(w_b, w_b, kernel_size=3, stride=stride, groups=w_b // group_width, norm_layer=norm_layer,
                                           activation_layer=activation_layer)
        if se_ratio:
            layers['se'] = SqueezeExcitation(input_channels=w_b, squeeze_channels=int(round(se_ratio * width_in)),
                                             activation=activation_layer)
        layers['c'] = Conv2dNormActivation(w_b, width_out, kernel_size=1, stride=1, norm_layer=norm_layer, activation_layer=None)
        super().__init__(layers)


class ResBottleneckBlock(nn.Module):
    def __init__(self, width_in, width_out, stride, norm_layer, activation_layer, group_width=1, bottleneck_multiplier=1.0,
                 se_ratio=None):
        super().__init__()
        self.proj = None
        if width_in != width_out or stride != 1:
            self.proj = Conv2dNormActivation(width_in, width_out, kernel_size=1, stride=stride, norm_layer=norm_layer,
                                             activation_layer=None)
        self.f = BottleneckTransform(width_in, width_out, stride, norm_layer, activation_layer, group_width, bottleneck_multiplier,
                                     se_ratio)
        self.activation = activation_layer(inplace=True)

    def forward(self, x):
        return self.activation((x if self.proj is None else self.proj(x)) + self.f(x))


class AnyStage(nn.Sequential):
    def __init__(self, width_in, width_out, stride, depth, block_constructor, norm_layer, activation_layer, group_width,
                 bottleneck_multiplier, se_ratio=None, stage_index=0):
        super().__init__()
        for i in range(depth):
            block = block_constructor(width_in if i == 0 else width_out, width_out, stride if i == 0 else 1, norm_layer, activation_layer,
                                      group_width, bottleneck_multiplier, se_ratio)
            self.add_module(f'block{stage_index}-{i}', block)


class BlockParams:
    def __init__(self, depths, widths, group_widths, bottleneck_multipliers, strides, se_ratio=None):
        self.depths = depths
        self.widths = widths
        self.group_widths = group_widths
        self.bottleneck_multipliers = bottleneck_multipliers
        self.strides = strides
        self.se_ratio = se_ratio

    @classmethod
    def from_init_params(cls, depth, w_0, w_a, w_m, group_width, bottleneck_multiplier=1.0, se_ratio=None, **kwargs):
        """Widths of blocks along a line, quantized in log space to multiples of 8; blocks of one width are a stage."""
        if w_a < 0 or w_0 <= 0 or w_m <= 1 or w_0 % 8 != 0:
            raise ValueError('Invalid RegNet settings')
        continuous = torch.arange(depth) * w_a + w_0
        capacity = torch.round(torch.log(continuous / w_0) / math.log(w_m))
        widths = (torch.round(torch.divide(w_0 * torch.pow(w_m, capacity), 8)) * 8).int().tolist()
        starts = [i for i in range(depth) if i == 0 or widths[i] != widths[i - 1]]
        stage_widths = [widths[i] for i in starts]
        stage_depths = [end - begin for begin, end in zip(starts, starts[1:] + [depth])]
        count = len(set(widths))
        multipliers = [bottleneck_multiplier] * count
        stage_widths, group_widths = cls._adjust_widths_groups_compatibilty(stage_widths, multipliers, [group_width] * count)
        return cls(depths=stage_depths, widths=stage_widths, group_widths=group_widths, bottleneck_multipliers=multipliers,
                   strides=[2] * count, se_ratio=se_ratio)

    def _get_expanded_params(self):
        return zip(self.widths, self.strides, self.depths, self.group_widths, self.bottleneck_multipliers)

    @staticmethod
    def _adjust_widths_groups_compatibilty(stage_widths, bottleneck_ratios, group_widths):
        widths = [int(w * b) for w, b in zip(stage_widths, bottleneck_ratios)]
        least = [min(g, w) for g, w in zip(group_widths, widths)]
        fitting = [_make_divisible(w, g) for w, g in zip(widths, least)]
        return [int(w / b) for w, b in zip(fitting, bottleneck_ratios)], least


class RegNet(nn.Module):
    def __init__(self, block_params, num_classes=1000, stem_width=32, stem_type=None, block_type=None, norm_layer=None, activation=None):
        super().__init__()
        norm_layer = norm_layer or nn.BatchNorm2d
        activation = activation or nn.ReLU
        self.stem = (stem_type or SimpleStemIN)(3, stem_width, norm_layer, activation)
        width = stem_width
        stages = []
        for i, (width_out, stride, depth, group_width, multiplier) in enumerate(block_params._get_expanded_params()):
            stages.append((f'block{i + 1}', AnyStage(width, width_out, stride, depth, block_type or ResBottleneckBlock, norm_layer,
                                                     activation, group_width, multiplier, block_params.se_ratio, stage_index=i + 1)))
            width = width_out
        self.trunk_output = nn.Sequential(OrderedDict(stages))
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(in_features=width, out_features=num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                fan_out = m.kernel_size[0] * m.kernel_size[1] * m.out_channels
                nn.init.normal_(m.weight, mean=0.0, std=math.sqrt(2.0 / fan_out))
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.ones_(m.weight)
                nn.init.zeros_(m.bias)
            elif isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, mean=0.0, std=0.01)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        x = self.trunk_output(self.stem(x))
        return self.fc(self.avgpool(x).flatten(start_dim=1))


def _maker(depth, w_0, w_a, w_m, group_width, se_ratio=None):
    def make(*, weights=None, pretrained=False, progress=True, **kwargs):
        params = BlockParams.from_init_params(depth, w_0, w_a, w_m, group_width, se_ratio=se_ratio, **kwargs)
        norm_layer = kwargs.pop('norm_layer', partial(nn.BatchNorm2d, eps=1e-05, momentum=0.1))
        return with_weights(RegNet(params, norm_layer=norm_layer, **kwargs), weights, pretrained)
    return make


regnet_y_400mf, regnet_y_800mf = _maker(16, 48, 27.89, 2.09, 8, 0.25), _maker(14, 56, 38.84, 2.4, 16, 0.25)
regnet_y_1_6gf, regnet_y_3_2gf = _maker(27, 48, 20.71, 2.65, 24, 0.25), _maker(21, 80, 42.63, 2.66, 24, 0.25)
regnet_y_8gf, regnet_y_16gf = _maker(17, 192, 76.82, 2.19, 56, 0.25), _maker(18, 200, 106.23, 2.48, 112, 0.25)
regnet_y_32gf, regnet_y_128gf = _maker(20, 232, 115.89, 2.53, 232, 0.25), _maker(27, 456, 160.83, 2.52, 264, 0.25)
regnet_x_400mf, regnet_x_800mf = _maker(22, 24, 24.48, 2.54, 16), _maker(16, 56, 35.73, 2.28, 16)
regnet_x_1_6gf, regnet_x_3_2gf = _maker(18, 80, 34.01, 2.25, 24), _maker(25, 88, 26.31, 2.25, 48)
regnet_x_8gf, regnet_x_16gf = _maker(23, 80, 49.56, 2.88, 120), _maker(22, 216, 55.59, 2.1, 128)
regnet_x_32gf = _maker(23, 320, 69.86, 2.0, 168)
