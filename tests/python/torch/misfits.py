# Inputs and targets that do not fit: PyTorch's exceptions and texts.
import torch
import torch.nn as nn
import torch.nn.functional as F

x, p = torch.randn(2, 3), torch.rand(2, 3)
calls = {
    "linear": lambda: nn.Linear(4, 2)(x), "linear dtype": lambda: nn.Linear(3, 2)(x.double()), "linear int": lambda: nn.Linear(3, 2)(torch.ones(2, 3, dtype=torch.long)),
    "conv2d": lambda: nn.Conv2d(2, 3, 3)(torch.randn(1, 4, 8, 8)), "conv2d dims": lambda: nn.Conv2d(2, 3, 3)(x), "conv1d": lambda: nn.Conv1d(2, 3, 9)(torch.randn(1, 2, 4)),
    "batch norm": lambda: nn.BatchNorm2d(3)(x), "batch norm channels": lambda: nn.BatchNorm1d(4)(x), "layer norm": lambda: nn.LayerNorm(4)(x),
    "group norm": lambda: nn.GroupNorm(2, 4)(torch.randn(1, 6, 2)), "lstm": lambda: nn.LSTM(4, 2)(torch.randn(5, 1, 3)), "gru dims": lambda: nn.GRU(3, 2)(torch.randn(3)),
    "lstm hidden": lambda: nn.LSTM(3, 2)(torch.randn(5, 1, 3), (torch.zeros(1, 2, 2), torch.zeros(1, 2, 2))), "rnn cell": lambda: nn.RNNCell(4, 2)(x),
    "embedding": lambda: nn.Embedding(4, 2)(torch.tensor([5])), "embedding float": lambda: nn.Embedding(4, 2)(x), "attention": lambda: nn.MultiheadAttention(4, 2)(x[None], x[None], x[None]),
    "cross entropy float": lambda: F.cross_entropy(x, torch.tensor([0.0, 1.0])), "cross entropy range": lambda: F.cross_entropy(x, torch.tensor([0, 7])),
    "cross entropy batch": lambda: F.cross_entropy(x, torch.tensor([0, 1, 2])), "cross entropy int32": lambda: F.cross_entropy(x, torch.tensor([0, 1], dtype=torch.int32)),
    "nll float": lambda: F.nll_loss(x, torch.tensor([0.0, 1.0])), "nll dims": lambda: F.nll_loss(x, torch.tensor([[0], [1]])),
    "bce size": lambda: F.binary_cross_entropy(p, torch.ones(3)), "bce int": lambda: F.binary_cross_entropy(p, torch.ones(2, 3, dtype=torch.long)),
    "bce range": lambda: F.binary_cross_entropy(x * 9 + 20, p), "bce logits size": lambda: F.binary_cross_entropy_with_logits(x, torch.ones(3)),
    "mse shapes": lambda: F.mse_loss(x, torch.zeros(4)), "kl": lambda: F.kl_div(x, torch.zeros(5)),
    "margin": lambda: F.multi_margin_loss(x, torch.tensor([0, 5])), "reduction": lambda: F.mse_loss(x, x, reduction="average"),
    "missing": lambda: nn.Linear(3, 2)(), "extra": lambda: nn.Linear(3, 2)(x, x), "softmax dim": lambda: nn.Softmax(dim=4)(x),
    "flatten": lambda: nn.Flatten(3)(x), "pixel shuffle": lambda: nn.PixelShuffle(2)(torch.randn(1, 3, 2, 2)), "upsample": lambda: nn.Upsample()(torch.randn(1, 1, 2, 2)),
    "max pool": lambda: nn.MaxPool2d(5)(torch.randn(1, 1, 2, 2)), "unpool": lambda: nn.MaxUnpool2d(2)(torch.randn(1, 1, 2, 2), torch.zeros(1, 1, 2, 2)),
    "bilinear": lambda: nn.Bilinear(3, 3, 1)(x, torch.randn(2, 4)), "cosine": lambda: nn.CosineEmbeddingLoss()(x, x, torch.ones(2, 3)),
    "lr none": lambda: torch.optim.SGD(nn.Linear(1, 1).parameters()),
    "momentum": lambda: torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=1, momentum=-1), "betas": lambda: torch.optim.Adam(nn.Linear(1, 1).parameters(), betas=(float("nan"), 0.9)),
    "adam lr": lambda: torch.optim.Adam(nn.Linear(1, 1).parameters(), lr=float("nan")), "eps": lambda: torch.optim.RMSprop(nn.Linear(1, 1).parameters(), eps=float("nan")),
    "no params": lambda: torch.optim.Adam([]), "tensor": lambda: torch.optim.Adam(torch.zeros(1)), "twice": lambda: torch.optim.Adam([{"params": [W]}, {"params": [W]}]),
    "clip": lambda: torch.nn.utils.clip_grad_norm_([nan_grad()], 1.0, error_if_nonfinite=True), "inf norm": lambda: print(torch.nn.utils.clip_grad_norm_([nan_grad(2.0)], 1.0, norm_type=float("inf"))),
}
W = nn.Parameter(torch.zeros(1))


def nan_grad(value=float("nan")):
    w = nn.Parameter(torch.zeros(2))
    w.grad = torch.full((2,), value)
    return w


for name, call in calls.items():
    try:
        call()
        print(name, "fits")
    except Exception as error:
        print(name, "|", type(error).__name__ + ":", str(error).split("\n")[0][:160])
