# SPDX-License-Identifier: Apache-2.0
"""Writes optimizers.json: what ten steps of each optimiser make of the same parameters and gradients. Needs torch 1.13."""
import json
import os

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = 10

CASES = [
    ("SGD", dict(lr=0.1)),
    ("SGD", dict(lr=0.1, momentum=0.9)),
    ("SGD", dict(lr=0.1, momentum=0.9, dampening=0.2, weight_decay=0.01)),
    ("SGD", dict(lr=0.1, momentum=0.8, nesterov=True, weight_decay=0.1)),
    ("SGD", dict(lr=0.1, maximize=True, momentum=0.5)),
    ("Adam", dict()),
    ("Adam", dict(lr=0.05, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.1)),
    ("Adam", dict(lr=0.05, amsgrad=True)),
    ("Adam", dict(lr=0.05, maximize=True)),
    ("AdamW", dict(lr=0.05)),
    ("AdamW", dict(lr=0.05, amsgrad=True, weight_decay=0.2, maximize=True)),
    ("Adamax", dict()),
    ("Adamax", dict(lr=0.05, weight_decay=0.1, maximize=True)),
    ("NAdam", dict()),
    ("NAdam", dict(lr=0.05, weight_decay=0.1, momentum_decay=0.01)),
    ("RAdam", dict()),
    ("RAdam", dict(lr=0.05, betas=(0.9, 0.6), weight_decay=0.1)),
    ("Adagrad", dict()),
    ("Adagrad", dict(lr=0.1, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.5, maximize=True)),
    ("Adadelta", dict()),
    ("Adadelta", dict(lr=0.5, rho=0.8, weight_decay=0.1, maximize=True)),
    ("RMSprop", dict()),
    ("RMSprop", dict(lr=0.05, momentum=0.9)),
    ("RMSprop", dict(lr=0.05, centered=True, weight_decay=0.1)),
    ("RMSprop", dict(lr=0.05, centered=True, momentum=0.5, maximize=True)),
    ("Rprop", dict()),
    ("Rprop", dict(lr=0.1, etas=(0.4, 1.4), step_sizes=(1e-3, 0.2), maximize=True)),
    ("ASGD", dict()),
    ("ASGD", dict(lr=0.1, lambd=0.01, alpha=0.5, t0=3, weight_decay=0.1)),
]
LBFGS = [dict(), dict(lr=0.5, max_iter=4), dict(line_search_fn="strong_wolfe"), dict(max_iter=6, history_size=3, line_search_fn="strong_wolfe"),
         dict(max_iter=3, history_size=2)]


def parameters(dtype):
    torch.manual_seed(7)
    return [torch.randn(5, dtype=dtype).requires_grad_(), torch.randn(2, 3, dtype=dtype).requires_grad_()]


def run(name, options, dtype):
    params = parameters(dtype)
    start = [p.detach().flatten().tolist() for p in params]
    optimizer = getattr(torch.optim, name)(params, **options)
    shown = str(optimizer)
    steps = []
    torch.manual_seed(11)
    for step in range(STEPS):
        grads = [torch.randn_like(p) for p in params]
        if step == 4:
            grads[0][2] = 0
        for p, g in zip(params, grads):
            p.grad = g.clone()
        optimizer.step()
        steps.append({"grads": [g.flatten().tolist() for g in grads], "params": [p.detach().flatten().tolist() for p in params]})
    state = optimizer.state_dict()["state"][1]
    keys = {k: (v.flatten().tolist() if torch.is_tensor(v) else v) for k, v in state.items()}
    return {"name": name, "options": options, "dtype": str(dtype)[6:], "start": start, "text": shown, "steps": steps, "state": keys}


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def run_lbfgs(options):
    x = torch.tensor([-1.2, 1.0, 0.5, -0.3], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([x], **options)

    def closure():
        optimizer.zero_grad()
        loss = rosenbrock(x)
        loss.backward()
        return loss

    steps = []
    for _ in range(STEPS):
        loss = optimizer.step(closure)
        steps.append({"loss": loss.item(), "params": x.detach().tolist()})
    return {"options": options, "steps": steps}


def main():
    cases = [run(name, options, dtype) for name, options in CASES for dtype in (torch.float32, torch.float64)]
    with open(os.path.join(HERE, "optimizers.json"), "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]\n")
    with open(os.path.join(HERE, "lbfgs.json"), "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(run_lbfgs(options), separators=(",", ":")) for options in LBFGS) + "\n]\n")


main()
