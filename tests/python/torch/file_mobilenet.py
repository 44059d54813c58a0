from functools import partial
from typing import Any, Callable, List, Optional, Sequence, Union, NamedTuple
from dataclasses import dataclass
from enum import Enum, auto
import abc
import copy
import warnings
import torch
from torch import nn, Tensor
import torch.nn.functional as F


def _make_divisible(v: float, divisor: int, min_value: Optional[int] = None) -> int:
    if min_value is None:
        min_value = divisor
    new_v = max(min_value, int(v + divisor / 2) // divisor * divisor)
    if new_v < 0.9 * v:
        new_v += divisor
    return new_v


class ConvNormAct(nn.Sequential):
    def __init__(self, i, o, k=3, s=1, p=None, groups=1, norm_layer: Optional[Callable[..., nn.Module]] = nn.BatchNorm2d,
                 activation_layer: Optional[Callable[..., nn.Module]] = nn.ReLU6, *, inplace: Optional[bool] = True):
        p = (k - 1) // 2 if p is None else p
        layers = [nn.Conv2d(i, o, k, s, p, groups=groups, bias=norm_layer is None)]
        if norm_layer is not None:
            layers.append(norm_layer(o))
        if activation_layer is not None:
            params = {} if inplace is None else {'inplace': inplace}
            layers.append(activation_layer(**params))
        super().__init__(*layers)
        self.out_channels = o


class SqueezeExcitation(nn.Module):
    def __init__(self, c, sq, activation=partial(nn.ReLU), scale_activation=nn.Sigmoid):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1, self.fc2 = nn.Conv2d(c, sq, 1), nn.Conv2d(sq, c, 1)
        self.activation, self.scale_activation = activation(), scale_activation()

    def _scale(self, x: Tensor) -> Tensor:
        s = self.fc2(self.activation(self.fc1(self.avgpool(x))))
        return self.scale_activation(s)

    def forward(self, x: Tensor) -> Tensor:
        return self._scale(x) * x


class Act(Enum):
    RE = auto()
    HS = auto()

    @property
    def layer(self):
        return nn.Hardswish if self is Act.HS else nn.ReLU


@dataclass(frozen=True)
class BlockConf:
    i: int
    k: int
    e: int
    o: int
    se: bool
    act: Act
    s: int
    width: float = 1.0

    def __post_init__(self):
        for f in ('i', 'e', 'o'):
            object.__setattr__(self, f, self.adjust(getattr(self, f), self.width))

    @staticmethod
    def adjust(c, w):
        return _make_divisible(c * w, 8)


class InvertedResidual(nn.Module):
    def __init__(self, cnf: BlockConf, norm_layer, se_layer=partial(SqueezeExcitation, scale_activation=nn.Hardsigmoid)):
        super().__init__()
        if not (1 <= cnf.s <= 2):
            raise ValueError("illegal stride value")
        self.use_res_connect = cnf.s == 1 and cnf.i == cnf.o
        layers: List[nn.Module] = []
        act = cnf.act.layer
        if cnf.e != cnf.i:
            layers.append(ConvNormAct(cnf.i, cnf.e, 1, norm_layer=norm_layer, activation_layer=act))
        layers.append(ConvNormAct(cnf.e, cnf.e, cnf.k, cnf.s, groups=cnf.e, norm_layer=norm_layer, activation_layer=act))
        if cnf.se:
            layers.append(se_layer(cnf.e, _make_divisible(cnf.e // 4, 8)))
        layers.append(ConvNormAct(cnf.e, cnf.o, 1, norm_layer=norm_layer, activation_layer=None))
        self.block = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        result = self.block(x)
        if self.use_res_connect:
            result += x
        return result


class StochasticDepth(nn.Module):
    def __init__(self, p: float, mode: str) -> None:
        super().__init__()
        self.p, self.mode = p, mode

    def forward(self, x):
        if not self.training or self.p == 0.0:
            return x
        size = [x.shape[0]] + [1] * (x.ndim - 1) if self.mode == 'row' else [1] * x.ndim
        noise = torch.empty(size, dtype=x.dtype, device=x.device).bernoulli_(1 - self.p)
        return x * noise.div_(1 - self.p)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}(p={self.p}, mode={self.mode})"


class MobileNet(nn.Module, metaclass=abc.ABCMeta):
    def __init__(self, settings: Sequence[BlockConf], num_classes: int = 4, norm_layer=None, dropout: float = 0.2, **kwargs: Any):
        super().__init__()
        if not settings:
            raise ValueError("The inverted_residual_setting should not be empty")
        elif not (isinstance(settings, Sequence) and all(isinstance(s, BlockConf) for s in settings)):
            raise TypeError("The inverted_residual_setting should be List[BlockConf]")
        norm_layer = norm_layer or partial(nn.BatchNorm2d, eps=0.001, momentum=0.01)
        first = settings[0].i
        layers = [ConvNormAct(3, first, s=2, norm_layer=norm_layer, activation_layer=nn.Hardswish)]
        layers += [InvertedResidual(c, norm_layer) for c in settings]
        layers += [StochasticDepth(0.2, 'row')]
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Linear(settings[-1].o, 16), nn.Hardswish(inplace=True), nn.Dropout(p=dropout, inplace=True),
                                        nn.Linear(16, num_classes))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out")
                if m.bias is not None:
                    nn.init.zeros_(m.bias)
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.ones_(m.weight)
                nn.init.zeros_(m.bias)
            elif isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, 0, 0.01)
                nn.init.zeros_(m.bias)

    def _forward_impl(self, x: Tensor) -> Tensor:
        x = self.features(x)
        x = torch.flatten(self.avgpool(x), 1)
        return self.classifier(x)

    def forward(self, x: Tensor) -> Tensor:
        return self._forward_impl(x)


def mobilenet(width=0.5, **kw):
    conf = partial(BlockConf, width=width)
    return MobileNet([conf(16, 3, 16, 16, True, Act.RE, 2), conf(16, 3, 72, 24, False, Act.RE, 2), conf(24, 5, 96, 24, True, Act.HS, 1)], **kw)


class ModelEma(nn.Module):
    def __init__(self, model, decay=0.9):
        super().__init__()
        self.module = copy.deepcopy(model).eval()
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for e, m in zip(self.module.state_dict().values(), model.state_dict().values()):
            e.copy_(self.decay * e + (1. - self.decay) * m)


torch.manual_seed(1)
model = mobilenet()
example_inputs = (torch.randn(2, 3, 32, 32),)
print(model)
ema = ModelEma(model)
opt = torch.optim.RMSprop(model.parameters(), lr=0.01, alpha=0.9, eps=0.01, momentum=0.9)
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=2)
for i in range(3):
    out = model(*example_inputs)
    loss = F.cross_entropy(out, torch.tensor([0, 2]))
    opt.zero_grad(); loss.backward(); opt.step(); sched.step(); ema.update(model)
    print(i, round(loss.item(), 4), [f'{v:.4f}' for v in sched.get_last_lr()])
model.eval()
with torch.no_grad():
    print(model(*example_inputs), ema.module(*example_inputs))
hooks, shapes = [], {}
for name, m in model.named_modules():
    if isinstance(m, nn.Conv2d):
        hooks.append(m.register_forward_hook(lambda mod, i, o, name=name: shapes.__setitem__(name, tuple(o.shape))))
model(torch.zeros(1, 3, 64, 64))
[h.remove() for h in hooks]
print(shapes)
try:
    MobileNet([1])
except TypeError as e:
    print(e)
try:
    model.features[1].block[0][0].weight = 3
except TypeError as e:
    print(e)
traced = torch.jit.trace(model, example_inputs)
print(torch.allclose(traced(*example_inputs), model(*example_inputs)))
