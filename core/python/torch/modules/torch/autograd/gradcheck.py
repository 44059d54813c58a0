# SPDX-License-Identifier: Apache-2.0
# Gradients against finite differences: Jacobians by columns and by rows, compared as wholes.
import torch


class GradcheckError(RuntimeError):
    pass


def _tuple(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _numerical(func, inputs, at, eps):
    columns = None
    flat = inputs[at].data.view(-1)
    for i in range(flat.numel()):
        before = flat[i].item()
        flat[i] = before + eps
        above = [o.detach().clone() for o in _tuple(func(*inputs))]
        flat[i] = before - eps
        below = [o.detach().clone() for o in _tuple(func(*inputs))]
        flat[i] = before
        rows = [((a - b) / (2 * eps)).reshape(-1) for a, b in zip(above, below)]
        columns = columns or [[] for _ in rows]
        for column, row in zip(columns, rows):
            column.append(row)
    return [torch.stack(column) for column in columns or []]


def _analytical(output, input):
    columns = []
    for i in range(output.numel()):
        weight = torch.zeros_like(output).view(-1)
        weight[i] = 1
        grad, = torch.autograd.grad(output, input, weight.view_as(output), retain_graph=True, allow_unused=True)
        columns.append((torch.zeros_like(input) if grad is None else grad).reshape(-1))
    return torch.stack(columns, 1)


def gradcheck(func, inputs, *, eps=1e-06, atol=1e-05, rtol=0.001, raise_exception=True, nondet_tol=0.0, check_undefined_grad=True,
              check_grad_dtypes=False, check_batched_grad=False, check_batched_forward_grad=False, check_forward_ad=False,
              check_backward_ad=True, fast_mode=False, masked=None):
    """True where the gradients of func are those of finite differences; else GradcheckError."""
    inputs = _tuple(inputs)
    if not any(isinstance(i, torch.Tensor) and i.requires_grad for i in inputs):
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of the them have requires_grad=True.")
    outputs = [o for o in _tuple(func(*inputs)) if isinstance(o, torch.Tensor) and o.requires_grad]
    for j, input in enumerate(inputs):
        if not isinstance(input, torch.Tensor) or not input.requires_grad:
            continue
        numerical = _numerical(func, inputs, j, eps)
        for i, output in enumerate(outputs):
            analytical = _analytical(output, input)
            if torch.allclose(analytical, numerical[i], rtol, atol):
                continue
            if not raise_exception:
                return False
            raise GradcheckError("Jacobian mismatch for output {} with respect to input {},\nnumerical:{}\nanalytical:{}\n".format(
                i, j, numerical[i], analytical))
    return True


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-06, atol=1e-05, rtol=0.001, raise_exception=True, **kwargs):
    inputs = _tuple(inputs)

    def first(*args):
        outputs = [o for o in _tuple(func(*args)) if o.requires_grad]
        wanted = [a for a in args if isinstance(a, torch.Tensor) and a.requires_grad]
        weights = grad_outputs or [torch.ones_like(o) for o in outputs]
        return torch.autograd.grad(outputs, wanted, _tuple(weights), create_graph=True, allow_unused=True)

    return gradcheck(first, inputs, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)
