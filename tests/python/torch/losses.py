import torch
import torch.nn as nn

torch.manual_seed(0)
a = torch.randn(4, 3, requires_grad=True)
b = torch.rand(4, 3)
t = torch.tensor([0, 2, 1, 1])
for loss in (nn.MSELoss(), nn.L1Loss(), nn.SmoothL1Loss(), nn.HuberLoss(), nn.BCEWithLogitsLoss()):
    print(type(loss).__name__, loss(a, b))
print(nn.CrossEntropyLoss()(a, t), nn.CrossEntropyLoss(weight=torch.tensor([1., 2., 3.]))(a, t), nn.CrossEntropyLoss(ignore_index=1, reduction='sum')(a, t))
print(nn.NLLLoss()(a.log_softmax(1), t), nn.BCELoss()(a.sigmoid(), b), nn.KLDivLoss(reduction='batchmean')(a.log_softmax(1), b.softmax(1)))
print(nn.MarginRankingLoss()(a[:, 0], a[:, 1], torch.ones(4)), nn.CosineEmbeddingLoss()(a, b, torch.ones(4)), nn.TripletMarginLoss()(a, b, b.flip(0)), nn.MultiMarginLoss()(a, t))
l = nn.CrossEntropyLoss()(a, t)
l.backward()
print(a.grad)
