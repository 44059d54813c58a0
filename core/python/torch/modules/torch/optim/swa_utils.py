# SPDX-License-Identifier: Apache-2.0
# Averages of weights over training (Izmailov et al. 2018), also exponential ones.
import math
import warnings
from copy import deepcopy

import torch
from torch.nn import Module
from torch.optim.lr_scheduler import LRScheduler


def get_ema_avg_fn(decay=0.999):
    @torch.no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn():
    @torch.no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay=0.999):
    @torch.no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        for ema_param, current_param in zip(ema_param_list, current_param_list):
            ema_param.lerp_(current_param, 1 - decay)

    return ema_update


def get_swa_multi_avg_fn():
    @torch.no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        for averaged_param, current_param in zip(averaged_param_list, current_param_list):
            averaged_param.lerp_(current_param, 1.0 / (float(num_averaged) + 1))

    return swa_update


class AveragedModel(Module):
    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError('Only one of avg_fn and multi_avg_fn should be provided')
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer('n_averaged', torch.tensor(0, dtype=torch.long))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def _averaged(self, module):
        values = list(module.parameters())
        return values + list(module.buffers()) if self.use_buffers else values

    def update_parameters(self, model):
        own = [p.detach() for p in self._averaged(self.module)]
        new = [p.detach() for p in self._averaged(model)]
        if self.n_averaged == 0:
            for mine, theirs in zip(own, new):
                mine.copy_(theirs)
        elif self.multi_avg_fn is not None:
            self.multi_avg_fn(own, new, self.n_averaged)
        else:
            average = self.avg_fn or get_swa_avg_fn()
            for mine, theirs in zip(own, new):
                mine.copy_(average(mine, theirs, self.n_averaged))
        if not self.use_buffers:
            for mine, theirs in zip(self.module.buffers(), model.buffers()):
                mine.detach().copy_(theirs.detach())
        self.n_averaged += 1


@torch.no_grad()
def update_bn(loader, model, device=None):
    momenta = {}
    for module in model.modules():
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta.keys():
        module.momentum = None
    for batch in loader:
        if isinstance(batch, (list, tuple)):
            batch = batch[0]
        model(batch if device is None else batch.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy='cos', last_epoch=-1):
        groups = optimizer.param_groups
        rates = list(swa_lr) if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(groups)
        if len(rates) != len(groups):
            raise ValueError('swa_lr must have the same length as optimizer.param_groups. swa_lr has {} values, param_groups has {}.'
                             .format(len(rates), len(groups)))
        for rate, group in zip(rates, groups):
            group['swa_lr'] = rate
        if anneal_strategy not in ('cos', 'linear'):
            raise ValueError("anneal_strategy must be one of 'cos' or 'linear', instead got {}".format(anneal_strategy))
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError('anneal_epochs must be equal or greater than 0, got {}'.format(anneal_epochs))
        self._is_cosine = anneal_strategy == 'cos'
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, step):
        t = max(0, min(1, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * t)) / 2 if self._is_cosine else t

    def get_lr(self):
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before = self._share(step - 1)
        share = self._share(step)
        rates = []
        for group in self.optimizer.param_groups:
            goal = group['swa_lr']
            start = goal if before == 1 else (group['lr'] - before * goal) / (1 - before)
            rates.append(goal * share + start * (1 - share))
        return rates
