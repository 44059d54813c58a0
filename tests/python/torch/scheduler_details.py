# verbose, warnings, and schedulers of one's own.
import warnings

import torch
from torch.optim import SGD
from torch.optim import lr_scheduler as schedules

w = torch.nn.Parameter(torch.zeros(1))
sgd = SGD([{"params": [w]}, {"params": [torch.nn.Parameter(torch.ones(1))], "lr": 1.0}], lr=0.1)
step = schedules.StepLR(sgd, 2, verbose=True)
for _ in range(3):
    sgd.step()
    step.step()
print(step.get_last_lr(), step.base_lrs, step.last_epoch)
print({k: v for k, v in step.state_dict().items() if not k.startswith("_get")})
plateau = schedules.ReduceLROnPlateau(SGD([w], lr=1.0), factor=0.5, patience=0, verbose=True)
for loss in (1.0, 2.0, 0.5, 0.5):
    plateau.step(loss)
schedules.CosineAnnealingLR(SGD([w], lr=1.0), 10, verbose=True)
schedules.OneCycleLR(SGD([w], lr=1.0, momentum=0.9), 1.0, total_steps=10, verbose=True)


class Warmup(schedules._LRScheduler):
    def __init__(self, optimizer, steps, last_epoch=-1, verbose=False):
        self.steps = steps
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        return [base * min(1.0, (self.last_epoch + 1) / self.steps) for base in self.base_lrs]


sgd = SGD([w], lr=0.4)
warmup = Warmup(sgd, 4, verbose=True)
for _ in range(5):
    sgd.step()
    warmup.step()
print(warmup.get_last_lr(), warmup.last_epoch, sgd.param_groups[0]["lr"])
saved = warmup.state_dict()
print(saved["last_epoch"], saved["base_lrs"], saved["_step_count"])

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    early = schedules.StepLR(SGD([w], lr=0.1), 1)
    early.step()
    print(len(caught), caught[0].category.__name__)
    print(str(caught[0].message)[:70])
    early.optimizer.step()
    early.step(5)
    print(len(caught), str(caught[1].message)[:60], early.get_last_lr())
for bad in (lambda: schedules.StepLR(3, 1), lambda: schedules.ReduceLROnPlateau(sgd, factor=2.0), lambda: schedules.StepLR(SGD([w], lr=0.1), 1, last_epoch=3)):
    try:
        bad()
    except (TypeError, ValueError, KeyError) as error:
        print(type(error).__name__ + ":", error)
