# SPDX-License-Identifier: Apache-2.0
"""Writes what a PyTorch records of a small training step: make_recordings.py FOLDER, run in this folder with
plugins/python in PYTHONPATH, by PyTorch 1.13 and by 2.15."""

import os
import sys

import torch

import small_net
import tensorloupe


def main(folder):
    model = small_net.make()
    x = torch.cos(torch.arange(2 * 11 * 11, dtype=torch.float64) * 0.37).float().reshape(2, 1, 11, 11)
    torch.save((x,), os.path.join(folder, "inputs.pt"))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    release = "_".join(torch.__version__.split(".")[:2])
    with tensorloupe.record(model, os.path.join(folder, f"net_{release}.loupe")):
        model(x).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    main(sys.argv[1])
