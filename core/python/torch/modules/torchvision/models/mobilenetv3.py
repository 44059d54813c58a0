# SPDX-License-Identifier: Apache-2.0
from functools import partial
import torch
from torch import nn
from torchvision.models._api import named_weights as __getattr__, with_weights
from torchvision.models._utils import _make_divisible
from torchvision.ops.misc import Conv2dNormActivation, SqueezeExcitation


class InvertedResidualConfig:
    def __init__(self, input_channels, kernel, expanded_channels, out_channels, use_se, activation, stride, dilation, width_mult):
        self.input_channels = self.adjust_channels(input_channels, width_mult)
        self.kernel = kernel
        self.expanded_channels = self.adjust_channels(expanded_channels, width_mult)
        self.out_channels = self.adjust_channels(out_channels, width_mult)
        self.use_se = use_se
        self.use_hs = activation == 'HS'
        self.stride = stride
        self.dilation = dilation

    @staticmethod
    def adjust_channels(channels, width_mult):
        return _make_divisible(channels * width_mult, 8)


class InvertedResidual(nn.Module):
    def __init__(self, cnf, norm_layer, se_layer=partial(SqueezeExcitation, scale_activation=nn.Hardsigmoid)):
        super().__init__()
        if not 1 <= cnf.stride <= 2:
            raise ValueError('illegal stride value')
        self.use_res_connect = cnf.stride == 1 and cnf.input_channels == cnf.out_channels
        activation_layer = nn.Hardswish if cnf.use_hs else nn.ReLU
        layers = []
        if cnf.expanded_channels != cnf.input_channels:
            layers.append(Conv2dNormActivation(cnf.input_channels, cnf.expanded_channels, kernel_size=1, norm_layer=norm_layer,
                                               activation_layer=activation_layer))
        stride = 1 if cnf.dilation > 1 else cnf.stride
        layers.append(Conv2dNormActivation(cnf.expanded_channels, cnf.expanded_channels, kernel_size=cnf.kernel, stride=stride,
                                           dilation=cnf.dilation, groups=cnf.expanded_channels, norm_layer=norm_layer,
                                           activation_layer=activation_layer))
        if cnf.use_se:
            layers.append(se_layer(cnf.expanded_channels, _make_divisible(cnf.expanded_channels // 4, 8)))
        layers.append(Conv2dNormActivation(cnf.expanded_channels, cnf.out_channels, kernel_size=1, norm_layer=norm_layer,
                                           activation_layer=None))
        self.block = nn.Sequential(*layers)
        self.out_channels = cnf.out_channels
        self._is_cn = cnf.stride > 1

    def forward(self, input):
        result = self.block(input)
        if self.use_res_connect:
            result += input
        return result


class MobileNetV3(nn.Module):
    def __init__(self, inverted_residual_setting, last_channel, num_classes=1000, block=None, norm_layer=None, dropout=0.2, **kwargs):
        super().__init__()
        block = block or InvertedResidual
        norm_layer = norm_layer or partial(nn.BatchNorm2d, eps=0.001, momentum=0.01)
        first = inverted_residual_setting[0].input_channels
        layers = [Conv2dNormActivation(3, first, kernel_size=3, stride=2, norm_layer=norm_layer, activation_layer=nn.Hardswish)]
        layers.extend(block(cnf, norm_layer) for cnf in inverted_residual_setting)
        last = inverted_residual_setting[-1].out_channels
        layers.append(Conv2dNormActivation(last, 6 * last, kernel_size=1, norm_layer=norm_layer, activation_layer=nn.Hardswish))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Linear(6 * last, last_channel), nn.Hardswish(inplace=True), nn.Dropout(p=dropout, inplace=True),
                                        nn.Linear(last_channel, num_classes))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode='fan_out')
                if m.bias is not None:
                    nn.init.zeros_(m.bias)
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.ones_(m.weight)
                nn.init.zeros_(m.bias)
            elif isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, 0, 0.01)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


def _settings(arch, width_mult=1.0, reduced_tail=False, dilated=False):
    tail = 2 if reduced_tail else 1
    dilation = 2 if dilated else 1
    conf = partial(InvertedResidualConfig, width_mult=width_mult)
    if arch == 'large':
        rows = [(16, 3, 16, 16, False, 'RE', 1, 1), (16, 3, 64, 24, False, 'RE', 2, 1), (24, 3, 72, 24, False, 'RE', 1, 1),
                (24, 5, 72, 40, True, 'RE', 2, 1), (40, 5, 120, 40, True, 'RE', 1, 1), (40, 5, 120, 40, True, 'RE', 1, 1),
                (40, 3, 240, 80, False, 'HS', 2, 1), (80, 3, 200, 80, False, 'HS', 1, 1), (80, 3, 184, 80, False, 'HS', 1, 1),
                (80, 3, 184, 80, False, 'HS', 1, 1), (80, 3, 480, 112, True, 'HS', 1, 1), (112, 3, 672, 112, True, 'HS', 1, 1),
                (112, 5, 672, 160 // tail, True, 'HS', 2, dilation), (160 // tail, 5, 960 // tail, 160 // tail, True, 'HS', 1, dilation),
                (160 // tail, 5, 960 // tail, 160 // tail, True, 'HS', 1, dilation)]
        last = 1280
    else:
        rows = [(16, 3, 16, 16, True, 'RE', 2, 1), (16, 3, 72, 24, False, 'RE', 2, 1), (24, 3, 88, 24, False, 'RE', 1, 1),
                (24, 5, 96, 40, True, 'HS', 2, 1), (40, 5, 240, 40, True, 'HS', 1, 1), (40, 5, 240, 40, True, 'HS', 1, 1),
                (40, 5, 120, 48, True, 'HS', 1, 1), (48, 5, 144, 48, True, 'HS', 1, 1), (48, 5, 288, 96 // tail, True, 'HS', 2, dilation),
                (96 // tail, 5, 576 // tail, 96 // tail, True, 'HS', 1, dilation), (96 // tail, 5, 576 // tail, 96 // tail, True, 'HS', 1, dilation)]
        last = 1024
    return [conf(*row) for row in rows], InvertedResidualConfig.adjust_channels(last // tail, width_mult)


def _maker(arch):
    def make(*, weights=None, pretrained=False, progress=True, **kwargs):
        options = {name: kwargs.pop(name) for name in ('width_mult', 'reduced_tail', 'dilated') if name in kwargs}
        settings, last_channel = _settings(arch, **options)
        return with_weights(MobileNetV3(settings, last_channel, **kwargs), weights, pretrained)
    return make


mobilenet_v3_large = _maker('large')
mobilenet_v3_small = _maker('small')
