# backward(inputs=...): which gradients accumulate, which hooks run, what is retained.
import torch

p = torch.nn.Parameter(torch.ones(2))
q = torch.nn.Parameter(torch.ones(2))
p.register_post_accumulate_grad_hook(lambda t: print("accumulated p", t.grad))
q.register_post_accumulate_grad_hook(lambda t: print("accumulated q", t.grad))
p.register_hook(lambda g: print("gradient of p", g))
q.register_hook(lambda g: print("gradient of q", g))

loss = (p * 2 + q).sum()
loss.backward(inputs=[p], retain_graph=True)
print(p.grad, q.grad)
loss.backward(inputs=[p])
print(p.grad, q.grad)

x = p * 3
y = x * q
y.sum().backward(inputs=[x])
print(x.grad, p.grad, q.grad)

x = p * 3
y = (x * x).sum()
y.backward(inputs=[x, q, p])
print(x.grad, p.grad, q.grad)

print(torch.autograd.grad((p * 2).sum(), p))

r = torch.ones(2, requires_grad=True)
r.register_hook(lambda g: g * 10)
(r * 2).sum().backward(inputs=r)
print(r.grad)
(r * r).sum().backward(inputs=[r], create_graph=True)
print(r.grad)

for wrong in ([], [torch.ones(2)]):
    try:
        (p * 2).sum().backward(inputs=wrong)
    except RuntimeError as error:
        print(error)
