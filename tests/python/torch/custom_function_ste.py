import torch
from torch.autograd import Function

class StraightThrough(Function):
    @staticmethod
    def forward(ctx, x, levels):
        ctx.save_for_backward(x, levels)
        ctx.mark_non_differentiable(levels)
        return torch.round(x * levels) / levels

    @staticmethod
    def backward(ctx, grad_output):
        x, levels = ctx.saved_tensors
        keep = (x.abs() <= 1).to(grad_output.dtype)
        return grad_output * keep, None

quantize = StraightThrough.apply
x = torch.linspace(-2, 2, 5, requires_grad=True)
y = quantize(x, torch.tensor(4.0))
print(y)
loss = (y ** 2).sum()
loss.backward()
print(loss, x.grad)
