import torch
import torch.nn as nn

torch.manual_seed(0)
e = nn.Embedding(5, 3, padding_idx=0)
print(e.weight[0], e(torch.tensor([0, 2, 0])))
e(torch.tensor([[1, 2], [2, 0]])).sum().backward()
print(e.weight.grad)
pre = nn.Embedding.from_pretrained(torch.tensor([[1., 2.], [3., 4.]]))
print(pre(torch.tensor([1, 0])), pre.weight.requires_grad, pre)
bag = nn.EmbeddingBag(4, 2, mode='mean')
print(bag(torch.tensor([[0, 1], [2, 3]])), bag)
