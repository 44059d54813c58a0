import torch

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        print('backward', grad, ctx.needs_input_grad)
        return 2 * x * grad

class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor, name='s'):
        ctx.factor = factor
        return x * factor, x + factor

    @staticmethod
    def backward(ctx, a, b):
        return a * ctx.factor + b, None, None

class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        return grad_output * result

x = torch.tensor([1., 2., 3.], requires_grad=True)
y = Square.apply(x)
print(y)
y.sum().backward()
print(x.grad)
x.grad = None
a, b = Scale.apply(x, 4.0)
print(a, b)
(a + b).sum().backward()
print(x.grad)
print(Square.apply(torch.ones(2)))
x.grad = None
e = Exp.apply(x)
print(e, e.grad_fn.name())
e.sum().backward()
print(torch.allclose(x.grad, x.exp()))

class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, g):
        return g

try:
    Bad.apply(x, x).sum().backward()
except RuntimeError as err:
    print(err)
