#!/usr/bin/env python3
# Trainings as PyTorch does them: losses, rates and gradient norms of each step, for test_training.
#
#     /usr/bin/python3 make_training.py > training.json
import json
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = open(os.path.join(HERE, "training_model.py")).read()
DATA = os.path.join(HERE, "..", "..", "resources", "models", "digits_data.npz")

CASES = {
    "sgd": dict(optimizer=("SGD", dict(lr=0.1, momentum=0.9)), schedule=("StepLR", dict(step_size=1, gamma=0.5)), epochs=2, steps=0, batch=512),
    "adam, schedule by step": dict(optimizer=("Adam", dict(lr=0.01)), schedule=("ExponentialLR", dict(gamma=0.9)), by_step=True, epochs=1, steps=12, batch=64),
    "clipped, held out": dict(optimizer=("AdamW", dict(lr=0.02, weight_decay=0.1)), clip=0.5, held_out=0.2, epochs=2, steps=0, batch=500),
    "plateau": dict(optimizer=("SGD", dict(lr=0.5)), schedule=("ReduceLROnPlateau", dict(patience=0, factor=0.1, threshold=0.5)), epochs=4, steps=0, batch=900),
    "in order, last dropped": dict(optimizer=("RMSprop", dict(lr=0.003)), shuffle=False, drop_last=True, epochs=1, steps=0, batch=700),
    "mixed precision": dict(optimizer=("SGD", dict(lr=0.1, momentum=0.9)), autocast="bfloat16", held_out=0.2, epochs=2, steps=0, batch=256),
    "LBFGS, dropout": dict(optimizer=("LBFGS", dict(lr=0.2, max_iter=3)), epochs=2, steps=0, batch=512),
    "label smoothing": dict(optimizer=("SGD", dict(lr=0.2)), loss=dict(label_smoothing=0.1), epochs=1, steps=5, batch=64),
}


def train(case):
    space = {}
    exec(SOURCE, space)
    model = space["model"]
    arrays = np.load(DATA)
    data = TensorDataset(torch.from_numpy(arrays["x"]), torch.from_numpy(arrays["y"]))
    torch.manual_seed(3)
    held_out = case.get("held_out", 0)
    validation = None
    if held_out:
        data, rest = random_split(data, [1 - held_out, held_out])
        validation = DataLoader(rest, batch_size=case["batch"])
    loader = DataLoader(data, batch_size=case["batch"], shuffle=case.get("shuffle", True), drop_last=case.get("drop_last", False))
    name, arguments = case["optimizer"]
    optimizer = getattr(torch.optim, name)(model.parameters(), **arguments)
    schedule = None
    if "schedule" in case:
        name, arguments = case["schedule"]
        schedule = getattr(torch.optim.lr_scheduler, name)(optimizer, **arguments)
    loss_arguments = case.get("loss", {})
    mixed = lambda: torch.autocast("cpu", dtype=torch.bfloat16, enabled="autocast" in case)
    steps, epochs = [], []
    model.train()
    for epoch in range(case["epochs"]):
        total, hits, count = 0.0, 0, 0
        for x, y in loader:
            if case["steps"] and len(steps) >= case["steps"]:
                break
            seen = []  # loss, norm and hits of each evaluation; the first is the step's

            def evaluate():
                optimizer.zero_grad(set_to_none=True)
                with mixed():
                    output = model(x)
                    loss = F.cross_entropy(output, y, **loss_arguments)
                loss.backward()
                norm = torch.norm(torch.stack([torch.norm(p.grad) for p in model.parameters()]))
                if "clip" in case:
                    nn.utils.clip_grad_norm_(model.parameters(), case["clip"])
                seen.append((loss, norm, int((output.argmax(1) == y).sum())))
                return loss

            rate = optimizer.param_groups[0]["lr"]
            optimizer.step(evaluate)
            loss, norm, right = seen[0]
            if schedule and case.get("by_step"):
                schedule.step()
            steps.append([loss.item(), rate, norm.item(), right / len(y)])
            total, hits, count = total + loss.item() * len(y), hits + right, count + len(y)
        row = [total / count, hits / count]
        if validation:
            model.eval()
            with torch.no_grad():
                total, hits, count = 0.0, 0, 0
                for x, y in validation:
                    with mixed():
                        output = model(x)
                        loss = F.cross_entropy(output, y)
                    total, hits, count = total + loss.item() * len(y), hits + int((output.argmax(1) == y).sum()), count + len(y)
            model.train()
            row += [total / count, hits / count]
        epochs.append(row)
        if schedule and not case.get("by_step"):
            if isinstance(schedule, torch.optim.lr_scheduler.ReduceLROnPlateau):
                schedule.step(row[2] if validation else row[0])
            else:
                schedule.step()
    return {"steps": steps, "epochs": epochs}


def text_of(call):
    return "%s(%s)" % (call[0], ", ".join("%s=%r" % item for item in call[1].items()))


out = {}
for name, case in CASES.items():
    row = train(case)
    row["optimizer"] = text_of(case["optimizer"])
    row["schedule"] = text_of(case["schedule"]) if "schedule" in case else ""
    row["loss"] = text_of(("CrossEntropyLoss", case.get("loss", {})))
    for key, default in {"by_step": False, "clip": 0, "held_out": 0, "epochs": 1, "steps": 0, "batch": 1, "shuffle": True, "drop_last": False, "autocast": ""}.items():
        row[{"epochs": "epoch_count", "steps": "step_count"}.get(key, key)] = case.get(key, default)
    out[name] = row
print(json.dumps(out, indent=0))
