# SPDX-License-Identifier: Apache-2.0
# Adafactor: Adaptive Learning Rates with Sublinear Memory Cost (Shazeer and Stern, 2018), as torch.optim has it since 2.5.
import torch
from torch.optim import Optimizer


class Adafactor(Optimizer):
    def __init__(self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, *, foreach=None, maximize=False):
        if not 0.0 <= lr:
            raise ValueError(f'Learning rate should be >= 0 but is: {lr}')
        if not 0.0 >= beta2_decay:
            raise ValueError(f'beta2_decay should be <= 0 but is: {beta2_decay}')
        if eps[0] is not None and not 0.0 <= eps[0]:
            raise ValueError(f'epsilon1 should be >= 0 but is: {eps[0]}')
        if not 0.0 <= eps[1]:
            raise ValueError(f'epsilon2 should be >= 0 but is: {eps[1]}')
        if not 1.0 <= d:
            raise ValueError(f'Clipping threshold d should be >= 1 but is: {d}')
        if not 0.0 <= weight_decay:
            raise ValueError(f'weight_decay should be >= 0 but is: {weight_decay}')
        defaults = dict(lr=lr, beta2_decay=beta2_decay, eps=eps, d=d, weight_decay=weight_decay, foreach=foreach, maximize=maximize)
        super().__init__(params, defaults)

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group['params']:
                if p.grad is not None:
                    self._update(p, -p.grad if group['maximize'] else p.grad, group)
        return loss

    def _update(self, p, grad, group):
        state = self.state[p]
        if len(state) == 0:
            state['step'] = torch.tensor(0.0, dtype=torch.float32)
            if grad.dim() > 1:
                row_shape, col_shape = list(grad.shape), list(grad.shape)
                row_shape[-1] = 1
                col_shape[-2] = 1
                state['row_var'] = grad.new_zeros(row_shape)
                state['col_var'] = grad.new_zeros(col_shape)
            else:
                state['variance'] = torch.zeros_like(grad)
        eps1, eps2 = group['eps']
        if eps1 is None:
            eps1 = torch.finfo(p.dtype).eps
        state['step'] += 1
        step = state['step'].item()
        one_minus_beta2_t = step ** group['beta2_decay']
        rho_t = min(group['lr'], 1 / (step ** 0.5))
        alpha = max(eps2, p.norm(2).item() / (p.numel() ** 0.5)) * rho_t
        if group['weight_decay'] != 0:
            p.mul_(1 - group['lr'] * group['weight_decay'])
        if grad.dim() > 1:
            row_mean = torch.norm(grad, dim=-1, keepdim=True).square_().div_(grad.size(-1))
            state['row_var'].lerp_(row_mean, one_minus_beta2_t)
            col_mean = torch.norm(grad, dim=-2, keepdim=True).square_().div_(grad.size(-2))
            state['col_var'].lerp_(col_mean, one_minus_beta2_t)
            update = state['row_var'] @ state['col_var']
            update.div_(state['row_var'].mean(dim=-2, keepdim=True).clamp_(min=eps1))
        else:
            state['variance'].lerp_(grad.square(), one_minus_beta2_t)
            update = state['variance'].clone()
        update = update.clamp_(min=eps1 * eps1).rsqrt_().mul_(grad)
        denom = max(1.0, update.norm(2).item() / ((update.numel() ** 0.5) * group['d']))
        p.add_(update, alpha=-alpha / denom)
