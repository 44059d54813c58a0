# SPDX-License-Identifier: Apache-2.0
from collections import OrderedDict
from torch import nn


def _make_divisible(v, divisor, min_value=None):
    if min_value is None:
        min_value = divisor
    new_v = max(min_value, int(v + divisor / 2) // divisor * divisor)
    return new_v + divisor if new_v < 0.9 * v else new_v


class IntermediateLayerGetter(nn.ModuleDict):
    def __init__(self, model, return_layers):
        if not set(return_layers).issubset([name for name, _ in model.named_children()]):
            raise ValueError('return_layers are not present in model')
        left = {str(k): str(v) for k, v in return_layers.items()}
        self_layers = OrderedDict()
        waiting = dict(left)
        for name, module in model.named_children():
            self_layers[name] = module
            waiting.pop(name, None)
            if not waiting:
                break
        super().__init__(self_layers)
        self.return_layers = left

    def forward(self, x):
        out = OrderedDict()
        for name, module in self.items():
            x = module(x)
            if name in self.return_layers:
                out[self.return_layers[name]] = x
        return out
