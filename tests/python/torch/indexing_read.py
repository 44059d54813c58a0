import torch
x = torch.arange(24.).reshape(2, 3, 4)
print(x[0], x[0, 1], x[0, 1, 2], x[-1, -1, -1])
print(x[:, 1], x[..., 0], x[0, :, 1:3], x[:, ::2, 1])
print(x[:, None, 0].shape, x[None].shape, x[..., None].shape)
print(x[[0, 1], [1, 2]], x[:, [0, 2]].shape, x[0, [True, False, True]])
print(x[x > 20], x[0][x[0] % 2 == 0])
i = torch.tensor([1, 0])
print(x[i].shape, x[i, i], x[:, i, i], x[i, :, 0])
print(x[torch.tensor(1)].shape, x[0, torch.tensor([[0, 1], [2, 0]])].shape)
print(x[1, ..., 2], x[(0, 1)], x[True].shape, x[False].shape)
print(x[0, 0, 0].item(), x[0, 0].tolist(), x[0, 0, 0])
for row in x[0]:
    print(row)
print(3.0 in x, 99 in x)
y = torch.tensor([5, 6, 7])
print([int(v) for v in y], y[y.argmax()], y[-1:], y[1:].tolist())
for bad in (lambda: x[5], lambda: x[0, 0, 0, 0], lambda: x[1.0], lambda: y[torch.tensor([3])], lambda: torch.tensor(1)[0], lambda: x[::-1]):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, e)
