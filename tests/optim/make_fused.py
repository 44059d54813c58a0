# SPDX-License-Identifier: Apache-2.0
"""Writes fused.json: what PyTorch's fused steps and GradScaler's operators make of lists of tensors. Needs torch 2.6."""
import json
import os

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
ops = torch.ops.aten
SIZES = [[5], [2, 3], [1]]


def numbers(t):
    return t.double().flatten().tolist()


def tensors(seed, dtype, positive=False):
    torch.manual_seed(seed)
    made = [torch.randn(s, dtype=torch.float64).to(dtype) for s in SIZES]
    return [t.abs() for t in made] if positive else made


def case(name, dtype, lists, step, keywords, scale=None, found=None):
    """lists: names of states, a step is counted where `step` is True."""
    self, grads = tensors(1, dtype), tensors(2, dtype)
    states = [tensors(3 + i, dtype, positive="sq" in s or "sum" in s) for i, s in enumerate(lists)]
    given = {"self": self, "grads": grads, **dict(zip(lists, states))}
    row = {"op": name, "dtype": str(dtype).removeprefix("torch."), "keywords": keywords,
           "given": {k: [numbers(t) for t in v] for k, v in given.items()}, "step": 3.0 if step else None,
           "scale": scale, "found": found}
    arguments = [self, grads, *states]
    if (name.startswith("_fused_adam") and len(states) == 2) or (name == "_fused_sgd_" and not states):
        arguments.append([])
    if step:
        arguments.append([torch.tensor(3.0) for _ in self])
    more = dict(keywords)
    if scale is not None:
        more["grad_scale"] = torch.tensor(scale)
    if found is not None:
        more["found_inf"] = torch.tensor(found)
    getattr(ops, name)(*arguments, **more)
    row["wanted"] = {k: [numbers(t) for t in v] for k, v in given.items()}
    return row


def scale_case(values, found, tracker):
    scale, track = torch.tensor([values[0]]), torch.tensor([tracker], dtype=torch.int32)
    ops._amp_update_scale_(scale, track, torch.tensor(found), *values[1:])
    return {"values": values, "found": found, "tracker": tracker, "scale": scale.item(), "next": track.item()}


adam = dict(lr=0.01, beta1=0.9, beta2=0.99, weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False)
sgd = dict(weight_decay=0.0, momentum=0.0, lr=0.1, dampening=0.0, nesterov=False, maximize=False, is_first_step=False)
adagrad = dict(lr=0.1, lr_decay=0.0, weight_decay=0.0, eps=1e-10, maximize=False)
rows = []
for dtype in (torch.float32, torch.float64):
    moments = ["exp_avgs", "exp_avg_sqs"]
    for name in ("_fused_adam_", "_fused_adamw_"):
        rows.append(case(name, dtype, moments, True, adam))
        rows.append(case(name, dtype, moments, True, dict(adam, weight_decay=0.2, maximize=True, lr=0.3)))
        rows.append(case(name, dtype, [*moments, "max_exp_avg_sqs"], True, dict(adam, amsgrad=True, weight_decay=0.1)))
        rows.append(case(name, dtype, moments, True, adam, scale=8.0, found=0.0))
        rows.append(case(name, dtype, moments, True, adam, found=1.0))
    rows.append(case("_fused_sgd_", dtype, [], False, dict(sgd, weight_decay=0.1)))
    rows.append(case("_fused_sgd_", dtype, ["momentum_buffer_list"], False, dict(sgd, momentum=0.9, dampening=0.2)))
    rows.append(case("_fused_sgd_", dtype, ["momentum_buffer_list"], False,
                     dict(sgd, momentum=0.9, nesterov=True, maximize=True)))
    rows.append(case("_fused_sgd_", dtype, ["momentum_buffer_list"], False, dict(sgd, momentum=0.9, is_first_step=True)))
    rows.append(case("_fused_sgd_", dtype, ["momentum_buffer_list"], False, dict(sgd, momentum=0.9), scale=4.0))
    rows.append(case("_fused_adagrad_", dtype, ["state_sums"], True, adagrad))
    rows.append(case("_fused_adagrad_", dtype, ["state_sums"], True, dict(adagrad, lr_decay=0.1, weight_decay=0.2, maximize=True)))
unscale = []
for values in ([1.0, -2.0], [float("inf"), 1.0], [1.0, float("nan")]):
    grads, found = [torch.tensor(values), torch.tensor([0.5])], torch.tensor(0.0)
    ops._amp_foreach_non_finite_check_and_unscale_(grads, found, torch.tensor(0.25))
    unscale.append({"values": [str(v) for v in values], "wanted": [str(v) for v in grads[0].tolist()], "found": found.item()})
scales = [scale_case([1024.0, 2.0, 0.5, 3], 0.0, 0), scale_case([1024.0, 2.0, 0.5, 3], 0.0, 2),
          scale_case([1024.0, 2.0, 0.5, 3], 1.0, 2), scale_case([3e38, 2.0, 0.5, 1], 0.0, 0)]
with open(os.path.join(HERE, "fused.json"), "w") as f:
    json.dump({"steps": rows, "unscale": unscale, "scales": scales}, f)
    f.write("\n")
