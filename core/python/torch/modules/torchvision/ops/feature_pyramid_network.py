# SPDX-License-Identifier: Apache-2.0
# Feature Pyramid Networks for Object Detection (Lin et al., 2017).
from collections import OrderedDict
import torch.nn.functional as F
from torch import nn
from torchvision.ops.misc import Conv2dNormActivation


class ExtraFPNBlock(nn.Module):
    """What adds levels: forward(levels, their inputs, their names) -> (levels, names)."""

    def forward(self, results, x, names):
        pass


class FeaturePyramidNetwork(nn.Module):
    _version = 2

    def __init__(self, in_channels_list, out_channels, extra_blocks=None, norm_layer=None):
        super().__init__()
        self.inner_blocks = nn.ModuleList()
        self.layer_blocks = nn.ModuleList()
        for in_channels in in_channels_list:
            if in_channels == 0:
                raise ValueError('in_channels=0 is currently not supported')
            self.inner_blocks.append(Conv2dNormActivation(in_channels, out_channels, kernel_size=1, padding=0, norm_layer=norm_layer,
                                                          activation_layer=None))
            self.layer_blocks.append(Conv2dNormActivation(out_channels, out_channels, kernel_size=3, norm_layer=norm_layer,
                                                          activation_layer=None))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_uniform_(m.weight, a=1)
                if m.bias is not None:
                    nn.init.constant_(m.bias, 0)
        if extra_blocks is not None and not isinstance(extra_blocks, ExtraFPNBlock):
            raise TypeError(f'extra_blocks should be of type ExtraFPNBlock not {type(extra_blocks)}')
        self.extra_blocks = extra_blocks

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *others):
        if local_metadata.get('version', None) in (None, 1):
            for block in ('inner_blocks', 'layer_blocks'):
                for i in range(len(self.inner_blocks)):
                    for kind in ('weight', 'bias'):
                        old = f'{prefix}{block}.{i}.{kind}'
                        if old in state_dict:
                            state_dict[f'{prefix}{block}.{i}.0.{kind}'] = state_dict.pop(old)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)

    def forward(self, x):
        names = list(x.keys())
        x = list(x.values())
        last_inner = self.inner_blocks[-1](x[-1])
        results = [self.layer_blocks[-1](last_inner)]
        for idx in range(len(x) - 2, -1, -1):
            inner_lateral = self.inner_blocks[idx](x[idx])
            last_inner = inner_lateral + F.interpolate(last_inner, size=inner_lateral.shape[-2:], mode='nearest')
            results.insert(0, self.layer_blocks[idx](last_inner))
        if self.extra_blocks is not None:
            results, names = self.extra_blocks(results, x, names)
        return OrderedDict(zip(names, results))


class LastLevelMaxPool(ExtraFPNBlock):
    def forward(self, x, y, names):
        names.append('pool')
        x.append(F.max_pool2d(x[-1], kernel_size=1, stride=2, padding=0))
        return x, names


class LastLevelP6P7(ExtraFPNBlock):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.p6 = nn.Conv2d(in_channels, out_channels, 3, 2, 1)
        self.p7 = nn.Conv2d(out_channels, out_channels, 3, 2, 1)
        for module in (self.p6, self.p7):
            nn.init.kaiming_uniform_(module.weight, a=1)
            nn.init.constant_(module.bias, 0)
        self.use_P5 = in_channels == out_channels

    def forward(self, p, c, names):
        p6 = self.p6(p[-1] if self.use_P5 else c[-1])
        p.extend([p6, self.p7(F.relu(p6))])
        names.extend(['p6', 'p7'])
        return p, names
