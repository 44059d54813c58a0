# SPDX-License-Identifier: Apache-2.0
"""Writes schedules.json: the options of two groups over 25 epochs of each scheduler. Needs torch 1.13."""
import json
import os
import warnings

import torch
from torch.optim import lr_scheduler

warnings.simplefilter("ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
EPOCHS = 25
# name, arguments by name, optimiser
CASES = [
    ("StepLR", dict(step_size=3), "SGD"),
    ("StepLR", dict(step_size=4, gamma=0.5), "Adam"),
    # Lengths that are no integers.
    ("StepLR", dict(step_size=1.0), "SGD"),
    ("StepLR", dict(step_size=2.5, gamma=0.5), "SGD"),
    ("MultiStepLR", dict(milestones=[2.0, 5.0, 7.5], gamma=0.3), "SGD"),
    ("ConstantLR", dict(factor=0.5, total_iters=3.0), "SGD"),
    ("LinearLR", dict(start_factor=0.2, total_iters=9.0), "SGD"),
    ("PolynomialLR", dict(total_iters=7.5), "SGD"),
    ("CosineAnnealingLR", dict(T_max=6.5), "SGD"),
    ("MultiStepLR", dict(milestones=[2, 5, 5, 11], gamma=0.3), "SGD"),
    ("ConstantLR", dict(), "SGD"),
    ("ConstantLR", dict(factor=0.5, total_iters=3), "SGD"),
    ("LinearLR", dict(), "SGD"),
    ("LinearLR", dict(start_factor=0.2, end_factor=0.7, total_iters=9), "SGD"),
    ("ExponentialLR", dict(gamma=0.9), "SGD"),
    ("PolynomialLR", dict(), "SGD"),
    ("PolynomialLR", dict(total_iters=12, power=2.5), "SGD"),
    ("CosineAnnealingLR", dict(T_max=6), "SGD"),
    ("CosineAnnealingLR", dict(T_max=7, eta_min=0.01), "SGD"),
    ("CosineAnnealingWarmRestarts", dict(T_0=4), "SGD"),
    ("CosineAnnealingWarmRestarts", dict(T_0=3, T_mult=2, eta_min=0.01), "SGD"),
    ("CyclicLR", dict(base_lr=0.01, max_lr=0.1, step_size_up=4), "SGD"),
    ("CyclicLR", dict(base_lr=0.01, max_lr=[0.1, 0.3], step_size_up=3, step_size_down=5, mode="triangular2"), "SGD"),
    ("CyclicLR", dict(base_lr=0.01, max_lr=0.1, step_size_up=4, mode="exp_range", gamma=0.95, cycle_momentum=False), "Adam"),
    ("OneCycleLR", dict(max_lr=0.2, total_steps=25), "SGD"),
    ("OneCycleLR", dict(max_lr=[0.2, 0.4], epochs=5, steps_per_epoch=6, anneal_strategy="linear", pct_start=0.4), "SGD"),
    ("OneCycleLR", dict(max_lr=0.2, total_steps=30, three_phase=True, div_factor=10.0), "Adam"),
]
METRICS = [1.0, 0.9, 0.91, 0.9, 0.9, 0.95, 0.85, 0.86, 0.87, 0.88, 0.85, 0.84, 0.9, 0.9, 0.9, 0.9, 0.9, 0.5, 0.6, 0.7, 0.6, 0.6, 0.6, 0.6, 0.6]
PLATEAU = [dict(patience=2), dict(patience=1.5, cooldown=1.5), dict(mode="max", factor=0.5, patience=1, cooldown=2, threshold=0.01, threshold_mode="abs"), dict(patience=0, min_lr=[0.05, 1e-3])]
COMPOSED = ["chained", "sequential"]


def optimizer(kind):
    a, b = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    more = {"momentum": 0.9} if kind == "SGD" else {}
    return getattr(torch.optim, kind)([{"params": [a]}, {"params": [b], "lr": 0.3}], lr=0.1, **more)


def options(opt):
    return [[g["lr"], g["momentum"] if "momentum" in g else g["betas"][0]] for g in opt.param_groups]


def run(opt, scheduler, metrics=None):
    seen = [options(opt)]
    for epoch in range(EPOCHS - 1):
        opt.step()
        scheduler.step(*([] if metrics is None else [metrics[epoch]]))
        seen.append(options(opt))
    return seen


def main():
    cases = []
    for name, arguments, kind in CASES:
        opt = optimizer(kind)
        cases.append({"name": name, "arguments": arguments, "optimizer": kind, "options": run(opt, getattr(lr_scheduler, name)(opt, **arguments))})
    for arguments in PLATEAU:
        opt = optimizer("SGD")
        cases.append({"name": "ReduceLROnPlateau", "arguments": arguments, "optimizer": "SGD", "metrics": METRICS,
                      "options": run(opt, lr_scheduler.ReduceLROnPlateau(opt, **arguments), METRICS)})
    for kind in COMPOSED:
        opt = optimizer("SGD")
        first, second = lr_scheduler.ConstantLR(opt, factor=0.1, total_iters=2), lr_scheduler.ExponentialLR(opt, gamma=0.9)
        both = lr_scheduler.ChainedScheduler([first, second]) if kind == "chained" else lr_scheduler.SequentialLR(opt, [first, second], [5])
        cases.append({"name": kind, "arguments": {}, "optimizer": "SGD", "options": run(opt, both)})
    with open(os.path.join(HERE, "schedules.json"), "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]\n")


main()
