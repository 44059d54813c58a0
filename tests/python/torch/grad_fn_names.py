import torch
x = torch.ones(2, 2, requires_grad=True)
for t in (x + 1, x - 1, 1 - x, x * 2, x / 2, 2 / x, x ** 2, 2 ** x, -x, x @ x, x.sum(), x.mean(0), x.exp(), x.view(-1), x.T, x[0], x[:, 0], x[x > 0],
          x.relu(), x.sigmoid(), x.tanh(), x.max(), x.max(0)[0], x.softmax(0), x.log_softmax(1), x.double(), x.clone(), x.expand(3, 2, 2), x.unsqueeze(0),
          x.permute(1, 0), torch.cat([x, x]), torch.stack([x, x]), x.split(1)[0], x.chunk(2)[1], x.unbind()[0], x.abs(), x.clamp(0, 1), x.sqrt(), x.flatten(),
          x.std(), x.var(), torch.where(x > 0, x, x), x.cumsum(0), x.sort()[0], x.topk(1)[0], x.pow(3), x.t(), x.reshape(4, 1), x.squeeze(), torch.nn.functional.gelu(x),
          torch.matmul(x, x[0]), x.addmm(x, x), torch.bmm(x[None], x[None]), x[None], x[..., 0:1], x.masked_fill(x > 0, 0.), x.gather(0, torch.zeros(1, 2, dtype=torch.long)), x.flip(0), x.roll(1), x.repeat(2, 1), x.prod(), x.logsumexp(0), x.tril()):
    print(t.grad_fn.name(), type(t.grad_fn).__name__)
y = x * 2 + 1
print(y.grad_fn.next_functions[0][0].name(), y.grad_fn.next_functions[1], y)
