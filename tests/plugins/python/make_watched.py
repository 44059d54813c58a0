# SPDX-License-Identifier: Apache-2.0
"""Writes what tensorloupe.watch() says of a small training: make_watched.py FOLDER, run in this folder with
plugins/python in PYTHONPATH."""

import json
import os
import sys

import torch

import small_net
import tensorloupe


def main(folder):
    model = small_net.make()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 10, 0.5)
    path = os.path.join(folder, "net.watch")
    torch.manual_seed(0)
    with tensorloupe.watch(model, optimizer, every=10, file=path, activations="blocks.0.*") as watcher:
        for number in range(30):
            x = torch.cos(torch.arange(2 * 11 * 11, dtype=torch.float64) * 0.37 + number).float().reshape(2, 1, 11, 11)
            optimizer.zero_grad()
            model(x).pow(2).mean().backward()
            optimizer.step()
            schedule.step()
            watcher.log(accuracy=number / 30)
    # Of no machine.
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    rows[0].update(host="here", pid=1234, run="1234", time=0)
    with open(path, "w", encoding="utf-8") as file:
        for row in rows:
            if row["kind"] == "memory":
                row["bytes"] = {"process": 100 << 20}
            for name in ("seconds", "wait"):
                if name in row:
                    row[name] = [0.001] * len(row[name])
            file.write(json.dumps(row, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
