# SPDX-License-Identifier: Apache-2.0
# Muon: an optimizer for the hidden layers of neural networks (Jordan et al., 2024), as torch.optim has it since 2.9.
import math
import torch
from torch.optim import Optimizer


def _orthogonalised(grad, coefficients, steps, eps):
    """Newton and Schulz's iteration of degree five, in bfloat16."""
    if steps >= 100:
        raise ValueError('Number of steps must be less than 100 for computational efficiency')
    if len(grad.shape) != 2:
        raise ValueError('Input tensor gradient must be a 2D matrix')
    if len(coefficients) != 3:
        raise ValueError('Coefficients must be a tuple of exactly 3 values')
    a, b, c = coefficients
    x = grad.to(dtype=torch.bfloat16, copy=True)
    if grad.size(0) > grad.size(1):
        x = x.T
    x.div_(x.norm().clamp(min=eps))
    for _ in range(steps):
        gram = x @ x.T
        update = torch.addmm(gram, gram, gram, beta=b, alpha=c)
        x = torch.addmm(x, update, x, beta=a)
    return x.T if grad.size(0) > grad.size(1) else x


class Muon(Optimizer):
    def __init__(self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True, ns_coefficients=(3.4445, -4.775, 2.0315), eps=1e-7,
                 ns_steps=5, adjust_lr_fn=None):
        if not 0.0 <= lr:
            raise ValueError(f'Learning rate should be >= 0 but is: {lr}')
        if not 0.0 <= momentum:
            raise ValueError(f'momentum should be >= 0 but is: {momentum}')
        if not 0.0 <= weight_decay:
            raise ValueError(f'weight decay should be >= 0 but is: {weight_decay}')
        if adjust_lr_fn is not None and adjust_lr_fn not in ['original', 'match_rms_adamw', 'spectral_unclamped']:
            raise ValueError(f'Adjust learning rate function {adjust_lr_fn} is not supported')
        defaults = dict(lr=lr, weight_decay=weight_decay, momentum=momentum, nesterov=nesterov, ns_coefficients=ns_coefficients, eps=eps,
                        ns_steps=ns_steps, adjust_lr_fn=adjust_lr_fn)
        super().__init__(params, defaults)
        for group in self.param_groups:
            for p in group['params']:
                if p.ndim != 2:
                    raise ValueError(f'Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}')

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group['params']:
                if p.grad is None:
                    continue
                state = self.state[p]
                if 'momentum_buffer' not in state:
                    state['momentum_buffer'] = torch.zeros_like(p.grad)
                buffer = state['momentum_buffer']
                buffer.lerp_(p.grad, 1 - group['momentum'])
                update = p.grad.lerp(buffer, group['momentum']) if group['nesterov'] else buffer
                update = _orthogonalised(update, group['ns_coefficients'], group['ns_steps'], group['eps'])
                rows, columns = p.shape[:2]
                if group['adjust_lr_fn'] == 'match_rms_adamw':
                    ratio = 0.2 * math.sqrt(max(rows, columns))
                elif group['adjust_lr_fn'] == 'spectral_unclamped':
                    ratio = math.sqrt(rows / columns)
                else:
                    ratio = math.sqrt(max(1, rows / columns))
                p.mul_(1 - group['lr'] * group['weight_decay'])
                p.add_(update, alpha=-group['lr'] * ratio)
        return loss
