# SPDX-License-Identifier: Apache-2.0
import copy
import math
from functools import partial
import torch
from torch import nn
from torchvision.models._api import named_weights as __getattr__, with_weights
from torchvision.models._utils import _make_divisible
from torchvision.ops import StochasticDepth
from torchvision.ops.misc import Conv2dNormActivation, SqueezeExcitation


class MBConvConfig:
    def __init__(self, expand_ratio, kernel, stride, input_channels, out_channels, num_layers, width_mult=1.0, depth_mult=1.0, block=None):
        self.expand_ratio = expand_ratio
        self.kernel = kernel
        self.stride = stride
        self.input_channels = self.adjust_channels(input_channels, width_mult)
        self.out_channels = self.adjust_channels(out_channels, width_mult)
        self.num_layers = int(math.ceil(num_layers * depth_mult))
        self.block = block or MBConv

    @staticmethod
    def adjust_channels(channels, width_mult, min_value=None):
        return _make_divisible(channels * width_mult, 8, min_value)


class FusedMBConvConfig(MBConvConfig):
    def __init__(self, expand_ratio, kernel, stride, input_channels, out_channels, num_layers, block=None):
        super().__init__(expand_ratio, kernel, stride, input_channels, out_channels, num_layers, block=block or FusedMBConv)


class _Block(nn.Module):
    def __init__(self, cnf, stochastic_depth_prob, layers):
        super().__init__()
        if not 1 <= cnf.stride <= 2:
            raise ValueError('illegal stride value')
        self.use_res_connect = cnf.stride == 1 and cnf.input_channels == cnf.out_channels
        self.block = nn.Sequential(*layers())
        self.stochastic_depth = StochasticDepth(stochastic_depth_prob, 'row')
        self.out_channels = cnf.out_channels

    def forward(self, input):
        result = self.block(input)
        if self.use_res_connect:
            result = self.stochastic_depth(result)
            result += input
        return result


class MBConv(_Block):
    def __init__(self, cnf, stochastic_depth_prob, norm_layer, se_layer=SqueezeExcitation):
        def layers():
            out = []
            expanded = cnf.adjust_channels(cnf.input_channels, cnf.expand_ratio)
            if expanded != cnf.input_channels:
                out.append(Conv2dNormActivation(cnf.input_channels, expanded, kernel_size=1, norm_layer=norm_layer, activation_layer=nn.SiLU))
            out.append(Conv2dNormActivation(expanded, expanded, kernel_size=cnf.kernel, stride=cnf.stride, groups=expanded,
                                            norm_layer=norm_layer, activation_layer=nn.SiLU))
            out.append(se_layer(expanded, max(1, cnf.input_channels // 4), activation=partial(nn.SiLU, inplace=True)))
            out.append(Conv2dNormActivation(expanded, cnf.out_channels, kernel_size=1, norm_layer=norm_layer, activation_layer=None))
            return out
        super().__init__(cnf, stochastic_depth_prob, layers)


class FusedMBConv(_Block):
    def __init__(self, cnf, stochastic_depth_prob, norm_layer):
        def layers():
            expanded = cnf.adjust_channels(cnf.input_channels, cnf.expand_ratio)
            if expanded == cnf.input_channels:
                return [Conv2dNormActivation(cnf.input_channels, cnf.out_channels, kernel_size=cnf.kernel, stride=cnf.stride,
                                             norm_layer=norm_layer, activation_layer=nn.SiLU)]
            return [Conv2dNormActivation(cnf.input_channels, expanded, kernel_size=cnf.kernel, stride=cnf.stride, norm_layer=norm_layer,
                                         activation_layer=nn.SiLU),
                    Conv2dNormActivation(expanded, cnf.out_channels, kernel_size=1, norm_layer=norm_layer, activation_layer=None)]
        super().__init__(cnf, stochastic_depth_prob, layers)


class EfficientNet(nn.Module):
    def __init__(self, inverted_residual_setting, dropout, stochastic_depth_prob=0.2, num_classes=1000, norm_layer=None, last_channel=None):
        super().__init__()
        norm_layer = norm_layer or nn.BatchNorm2d
        first = inverted_residual_setting[0].input_channels
        layers = [Conv2dNormActivation(3, first, kernel_size=3, stride=2, norm_layer=norm_layer, activation_layer=nn.SiLU)]
        total = sum(cnf.num_layers for cnf in inverted_residual_setting)
        place = 0
        for cnf in inverted_residual_setting:
            stage = []
            for _ in range(cnf.num_layers):
                block_cnf = copy.copy(cnf)
                if stage:
                    block_cnf.input_channels = block_cnf.out_channels
                    block_cnf.stride = 1
                stage.append(block_cnf.block(block_cnf, stochastic_depth_prob * float(place) / total, norm_layer))
                place += 1
            layers.append(nn.Sequential(*stage))
        last = inverted_residual_setting[-1].out_channels
        last_channel = last_channel if last_channel is not None else 4 * last
        layers.append(Conv2dNormActivation(last, last_channel, kernel_size=1, norm_layer=norm_layer, activation_layer=nn.SiLU))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Dropout(p=dropout, inplace=True), nn.Linear(last_channel, num_classes))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode='fan_out')
                if m.bias is not None:
                    nn.init.zeros_(m.bias)
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.ones_(m.weight)
                nn.init.zeros_(m.bias)
            elif isinstance(m, nn.Linear):
                init_range = 1.0 / math.sqrt(m.out_features)
                nn.init.uniform_(m.weight, -init_range, init_range)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


def _compound(width_mult, depth_mult):
    rows = [(1, 3, 1, 32, 16, 1), (6, 3, 2, 16, 24, 2), (6, 5, 2, 24, 40, 2), (6, 3, 2, 40, 80, 3), (6, 5, 1, 80, 112, 3),
            (6, 5, 2, 112, 192, 4), (6, 3, 1, 192, 320, 1)]
    return [MBConvConfig(*row, width_mult=width_mult, depth_mult=depth_mult) for row in rows]


_V2 = {
    's': [(1, 1, 3, 1, 24, 24, 2), (1, 4, 3, 2, 24, 48, 4), (1, 4, 3, 2, 48, 64, 4), (0, 4, 3, 2, 64, 128, 6), (0, 6, 3, 1, 128, 160, 9),
          (0, 6, 3, 2, 160, 256, 15)],
    'm': [(1, 1, 3, 1, 24, 24, 3), (1, 4, 3, 2, 24, 48, 5), (1, 4, 3, 2, 48, 80, 5), (0, 4, 3, 2, 80, 160, 7), (0, 6, 3, 1, 160, 176, 14),
          (0, 6, 3, 2, 176, 304, 18), (0, 6, 3, 1, 304, 512, 5)],
    'l': [(1, 1, 3, 1, 32, 32, 4), (1, 4, 3, 2, 32, 64, 7), (1, 4, 3, 2, 64, 96, 7), (0, 4, 3, 2, 96, 192, 10), (0, 6, 3, 1, 192, 224, 19),
          (0, 6, 3, 2, 224, 384, 25), (0, 6, 3, 1, 384, 640, 7)],
}


def _maker(width, depth, dropout, **fixed):
    def make(*, weights=None, pretrained=False, progress=True, **kwargs):
        return with_weights(EfficientNet(_compound(width, depth), kwargs.pop('dropout', dropout), **{**fixed, **kwargs}), weights, pretrained)
    return make


def _maker2(size, dropout):
    def make(*, weights=None, pretrained=False, progress=True, **kwargs):
        settings = [(FusedMBConvConfig if row[0] else MBConvConfig)(*row[1:]) for row in _V2[size]]
        options = {'norm_layer': partial(nn.BatchNorm2d, eps=1e-03), **kwargs}
        return with_weights(EfficientNet(settings, options.pop('dropout', dropout), last_channel=1280, **options), weights, pretrained)
    return make


_wide = partial(nn.BatchNorm2d, eps=0.001, momentum=0.01)
efficientnet_b0, efficientnet_b1 = _maker(1.0, 1.0, 0.2), _maker(1.0, 1.1, 0.2)
efficientnet_b2, efficientnet_b3 = _maker(1.1, 1.2, 0.3), _maker(1.2, 1.4, 0.3)
efficientnet_b4, efficientnet_b5 = _maker(1.4, 1.8, 0.4), _maker(1.6, 2.2, 0.4, norm_layer=_wide)
efficientnet_b6, efficientnet_b7 = _maker(1.8, 2.6, 0.5, norm_layer=_wide), _maker(2.0, 3.1, 0.5, norm_layer=_wide)
efficientnet_v2_s, efficientnet_v2_m, efficientnet_v2_l = _maker2('s', 0.2), _maker2('m', 0.3), _maker2('l', 0.4)
