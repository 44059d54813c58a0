import torch

torch.manual_seed(0)
x = torch.randn(16, 2)
true_w = torch.tensor([[2.0], [-1.0]])
y = x @ true_w + 0.5
w = torch.zeros(2, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for step in range(20):
    loss = ((x @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
        w.grad.zero_()
        b.grad.zero_()
    if step % 5 == 0:
        print(step, f"{loss.item():.4f}")
print(w, b)
