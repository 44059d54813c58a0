# Embeddings with sparse gradients and the optimisers that take them.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
e = nn.Embedding(6, 2, sparse=True)
print(e)
i = torch.tensor([[1, 4, 1], [0, 4, 5]])
weights = torch.arange(12.0).reshape(2, 3, 2)
(e(i) * weights).sum().backward()
g = e.weight.grad
print(g)
print(g.is_sparse, g.layout, g.shape, g.dtype, g.is_coalesced(), g._nnz(), g.sparse_dim(), g.dense_dim())
print(g._indices(), g._values())
try:
    g.indices()
except RuntimeError as error:
    print("RuntimeError:", error)
c = g.coalesce()
print(c, c.is_coalesced(), c.indices(), c.values())
print(g.to_dense())
dense = nn.Embedding(6, 2)
dense.load_state_dict(e.state_dict())
(dense(i) * weights).sum().backward()
print(torch.equal(dense.weight.grad, g.to_dense()))
(e(torch.tensor([2])) * 3).sum().backward()
print(e.weight.grad, e.weight.grad.to_dense()[2])
print(round(torch.nn.utils.clip_grad_norm_(e.parameters(), 1.0).item(), 4))
e.zero_grad(set_to_none=True)
print(e.weight.grad)
(e(i) * weights).sum().backward()
e.zero_grad()
print(e.weight.grad)
padded = nn.Embedding(4, 2, padding_idx=1, sparse=True)
padded(torch.tensor([0, 1, 1, 3])).sum().backward()
print(padded.weight.grad)
bag = nn.EmbeddingBag(5, 2, mode="mean", sparse=True)
bag(torch.tensor([0, 1, 1, 3]), torch.tensor([0, 3])).sum().backward()
print(bag.weight.grad)
print(F.embedding(torch.tensor([1]), torch.ones(2, 2, requires_grad=True), sparse=True).grad_fn.name())


def train(make, sparse, steps=4):
    torch.manual_seed(1)
    layer = nn.Embedding(5, 3, sparse=sparse)
    optimizer = make(layer.parameters())
    for step in range(steps):
        optimizer.zero_grad()
        out = layer(torch.tensor([0, 2, 2, step % 5]))
        (out * torch.linspace(-1, 1, 12).reshape(4, 3) * (step + 1)).sum().backward()
        optimizer.step()
    return layer.weight.detach(), optimizer


for make in (lambda p: torch.optim.SGD(p, lr=0.1), lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
             lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True), lambda p: torch.optim.Adagrad(p, lr=0.1, lr_decay=0.1)):
    a, _ = train(make, True)
    b, _ = train(make, False)
    print(torch.allclose(a, b, atol=1e-6))
w, adam = train(lambda p: torch.optim.SparseAdam(p, lr=0.05), True)
print((w * 1000).round().int().tolist())
print(adam)
state = adam.state_dict()
print(state["param_groups"], list(state["state"][0]), state["state"][0]["step"], (state["state"][0]["exp_avg"] * 1000).round().int().tolist())
for make in (lambda p: torch.optim.Adam(p), lambda p: torch.optim.AdamW(p), lambda p: torch.optim.RMSprop(p), lambda p: torch.optim.Adamax(p)):
    try:
        train(make, True)
    except RuntimeError as error:
        print("RuntimeError:", error)
try:
    train(lambda p: torch.optim.SparseAdam(p), False)
except RuntimeError as error:
    print("RuntimeError:", error)
for bad in (dict(lr=0.0), dict(lr=float("nan")), dict(betas=(1.0, 0.9)), dict(eps=0.0)):
    try:
        torch.optim.SparseAdam([torch.zeros(1, requires_grad=True)], **bad)
    except ValueError as error:
        print("ValueError:", error)

s = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3))
print(s)
print(s.to_dense(), s * 2, (s + s).coalesce(), torch.ones(2, 3) + s)
print(torch.tensor([[0.0, 1.0], [2.0, 0.0]]).to_sparse())
print(torch.sparse_coo_tensor(torch.tensor([[0, 2]]), torch.ones(2, 2)).shape)
for bad in (lambda: torch.sparse_coo_tensor(torch.tensor([[0, 5]]), torch.ones(2), (3,)), lambda: torch.sparse_coo_tensor(torch.tensor([[0, -1]]), torch.ones(2), (3,))):
    try:
        bad()
    except RuntimeError as error:
        print("RuntimeError:", error)
