# SPDX-License-Identifier: Apache-2.0
import torch
from torch import nn
from torchvision.models._api import named_weights as __getattr__, with_weights

_BN_MOMENTUM = 1 - 0.9997  # as the paper's TensorFlow has it


class _InvertedResidual(nn.Module):
    def __init__(self, in_ch, out_ch, kernel_size, stride, expansion_factor, bn_momentum=0.1):
        super().__init__()
        if stride not in [1, 2]:
            raise ValueError(f'stride should be 1 or 2 instead of {stride}')
        if kernel_size not in [3, 5]:
            raise ValueError(f'kernel_size should be 3 or 5 instead of {kernel_size}')
        mid_ch = in_ch * expansion_factor
        self.apply_residual = in_ch == out_ch and stride == 1
        self.layers = nn.Sequential(
            nn.Conv2d(in_ch, mid_ch, 1, bias=False), nn.BatchNorm2d(mid_ch, momentum=bn_momentum), nn.ReLU(inplace=True),
            nn.Conv2d(mid_ch, mid_ch, kernel_size, padding=kernel_size // 2, stride=stride, groups=mid_ch, bias=False),
            nn.BatchNorm2d(mid_ch, momentum=bn_momentum), nn.ReLU(inplace=True),
            nn.Conv2d(mid_ch, out_ch, 1, bias=False), nn.BatchNorm2d(out_ch, momentum=bn_momentum))

    def forward(self, input):
        return self.layers(input) + input if self.apply_residual else self.layers(input)


def _stack(in_ch, out_ch, kernel_size, stride, exp_factor, repeats, bn_momentum):
    if repeats < 1:
        raise ValueError(f'repeats should be >= 1, instead got {repeats}')
    layers = [_InvertedResidual(in_ch, out_ch, kernel_size, stride, exp_factor, bn_momentum=bn_momentum)]
    for _ in range(1, repeats):
        layers.append(_InvertedResidual(out_ch, out_ch, kernel_size, 1, exp_factor, bn_momentum=bn_momentum))
    return nn.Sequential(*layers)


def _round_to_multiple_of(val, divisor, round_up_bias=0.9):
    if not 0.0 < round_up_bias < 1.0:
        raise ValueError(f'round_up_bias should be greater than 0.0 and smaller than 1.0 instead of {round_up_bias}')
    new_val = max(divisor, int(val + divisor / 2) // divisor * divisor)
    return new_val if new_val >= round_up_bias * val else new_val + divisor


def _get_depths(alpha):
    return [_round_to_multiple_of(depth * alpha, 8) for depth in (32, 16, 24, 40, 80, 96, 192, 320)]


class MNASNet(nn.Module):
    _version = 2

    def __init__(self, alpha, num_classes=1000, dropout=0.2):
        super().__init__()
        if alpha <= 0.0:
            raise ValueError(f'alpha should be greater than 0.0 instead of {alpha}')
        self.alpha = alpha
        self.num_classes = num_classes
        depths = _get_depths(alpha)

        def norm(channels):
            return nn.BatchNorm2d(channels, momentum=_BN_MOMENTUM)

        layers = [nn.Conv2d(3, depths[0], 3, padding=1, stride=2, bias=False), norm(depths[0]), nn.ReLU(inplace=True),
                  nn.Conv2d(depths[0], depths[0], 3, padding=1, stride=1, groups=depths[0], bias=False), norm(depths[0]),
                  nn.ReLU(inplace=True), nn.Conv2d(depths[0], depths[1], 1, padding=0, stride=1, bias=False), norm(depths[1])]
        # kernel, stride, expansion, repeats
        stacks = ((3, 2, 3, 3), (5, 2, 3, 3), (5, 2, 6, 3), (3, 1, 6, 2), (5, 2, 6, 4), (3, 1, 6, 1))
        for i, (kernel, stride, expansion, repeats) in enumerate(stacks):
            layers.append(_stack(depths[i + 1], depths[i + 2], kernel, stride, expansion, repeats, _BN_MOMENTUM))
        layers += [nn.Conv2d(depths[7], 1280, 1, padding=0, stride=1, bias=False), norm(1280), nn.ReLU(inplace=True)]
        self.layers = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(p=dropout, inplace=True), nn.Linear(1280, num_classes))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode='fan_out', nonlinearity='relu')
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.ones_(m.weight)
                nn.init.zeros_(m.bias)
            elif isinstance(m, nn.Linear):
                nn.init.kaiming_uniform_(m.weight, mode='fan_out', nonlinearity='sigmoid')
                nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.classifier(self.layers(x).mean([2, 3]))


def _maker(alpha):
    def make(*, weights=None, pretrained=False, progress=True, **kwargs):
        return with_weights(MNASNet(alpha, **kwargs), weights, pretrained)
    return make


mnasnet0_5, mnasnet0_75, mnasnet1_0, mnasnet1_3 = _maker(0.5), _maker(0.75), _maker(1.0), _maker(1.3)
