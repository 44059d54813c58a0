import torch
x = torch.arange(-3, 4)
print(torch.where(x < 0, -x, x), x[x != 0], (x > 0) & (x < 3), (x < -1) | (x > 1), (x == 0).nonzero(), x.clamp(min=0))
m = x > 0
print(m.sum(), m.float().mean(), m.long(), m.any().item(), torch.masked_select(x, m), x.masked_fill(m, 9))
pad = torch.tensor([3, 1])
mask = torch.arange(4)[None, :] < pad[:, None]
print(mask, mask.int(), (~mask).float().masked_fill(~mask, float('-inf')))
scores = torch.zeros(2, 4).masked_fill(~mask, float('-inf')).softmax(-1)
print(scores)
causal = torch.triu(torch.full((3, 3), float('-inf')), diagonal=1)
print(causal)
a = torch.zeros(3, 3)
a.diagonal().fill_(2)
a[1:, :-1] = torch.tensor([[1., 2.], [3., 4.]])
print(a, a[a.bool()], a.any(dim=0), torch.isinf(causal).sum(1))
idx = torch.tensor([2, 0])
print(a[idx], a[:, idx], a[idx[:, None], idx], a.index_put((idx, idx), torch.tensor([8., 9.])))
