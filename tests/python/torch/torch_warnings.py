# What torch warns of.
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F

x = torch.randn(3, 4)
calls = {
    "sigmoid": lambda: F.sigmoid(x), "tanh": lambda: F.tanh(x), "softmax": lambda: F.softmax(x), "log_softmax": lambda: F.log_softmax(x),
    "softmin": lambda: F.softmin(x), "Softmax": lambda: nn.Softmax()(x), "LogSoftmax": lambda: nn.LogSoftmax()(x),
    "size_average": lambda: F.mse_loss(x, x, size_average=False), "reduce": lambda: nn.L1Loss(reduce=False),
    "both": lambda: nn.MSELoss(size_average=True, reduce=True), "mse": lambda: F.mse_loss(x, torch.zeros(4)),
    "l1": lambda: F.l1_loss(x, torch.zeros(3, 1)), "smooth_l1": lambda: F.smooth_l1_loss(x, torch.zeros(1, 4)),
    "huber": lambda: F.huber_loss(x, torch.zeros(1, 4)), "upsample": lambda: F.upsample(x[None], 8), "kl_div mean": lambda: F.kl_div(x, x, reduction="mean"),
    "lstm dropout": lambda: nn.LSTM(2, 2, dropout=0.5), "bce": lambda: F.l1_loss(x, x), "grid": lambda: F.grid_sample(torch.zeros(1, 1, 2, 2), torch.zeros(1, 1, 1, 2)),
    "affine": lambda: F.affine_grid(torch.zeros(1, 2, 3), (1, 1, 2, 2)), "interpolate": lambda: F.interpolate(x[None, None], scale_factor=2, recompute_scale_factor=True),
    "zero init": lambda: nn.init.xavier_normal(torch.empty(2, 2)), "uniform": lambda: nn.init.uniform(torch.empty(2)),
    "clip": lambda: nn.utils.clip_grad_norm([torch.zeros(1, requires_grad=True)], 1.0), "zero size": lambda: nn.init.kaiming_uniform_(torch.empty(0, 2)),
    "lazy": lambda: nn.LazyLinear(2), "checkpoint": lambda: torch.utils.checkpoint.checkpoint(torch.exp, x),
    "dropout": lambda: F.dropout2d(x),
    "hook": lambda: nn.Linear(1, 1).register_backward_hook(lambda *a: None), "legacy relu": lambda: F.relu(x), "gumbel": lambda: F.gumbel_softmax(x, eps=1e-5),
}
import torch.utils.checkpoint

for name, call in calls.items():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    print(name, [(w.category.__name__, str(w.message)) for w in caught])
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        F.sigmoid(x)
    except UserWarning as error:
        print("raised:", error)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.filterwarnings("ignore", message="nn.functional.sigmoid")
    F.sigmoid(x)
    warnings.warn("own", DeprecationWarning)
print([(w.category.__name__, str(w.message)) for w in caught])
