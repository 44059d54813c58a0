# SPDX-License-Identifier: Apache-2.0
"""Prints what recording costs: a recorded training step against a plain one, medians of alternating runs.

overhead.py [ROUNDS]; needs PyTorch, and torchvision for resnet18.
"""

import os
import statistics
import sys
import tempfile
import time

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "plugins", "python"))
import tensorloupe  # noqa: E402

CASES = {
    "no statistics": dict(values="none", statistics=False),
    "statistics": dict(values="none", histogram=False),
    "with histograms": dict(values="none"),
    "elements too": dict(),
}


def measure(name, model, x, rounds):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

    def step():
        begin = time.perf_counter()
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
        return time.perf_counter() - begin

    def recorded(options):
        with tempfile.TemporaryDirectory() as folder:
            with tensorloupe.record(model, os.path.join(folder, "run.loupe"), **options):
                return step()  # without the writing of the file, which is no part of the step

    step()
    step()
    plain, found = [], {case: [] for case in CASES}
    for _ in range(rounds):
        plain.append(step())
        for case, options in CASES.items():
            found[case].append(recorded(options))
    base = statistics.median(plain)
    ratios = "  ".join(f"{case} {statistics.median(times) / base:.2f}" for case, times in found.items())
    print(f"{name}: plain {base * 1e3:.0f} ms; recorded: {ratios}")


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    layer = torch.nn.TransformerEncoderLayer(256, 4, batch_first=True)
    measure("encoder, 8x128x256", torch.nn.TransformerEncoder(layer, 4), torch.randn(8, 128, 256), rounds)
    try:
        import torchvision
    except ImportError:
        print("resnet18: needs torchvision")
        return
    measure("resnet18, 8x3x224x224", torchvision.models.resnet18(), torch.randn(8, 3, 224, 224), rounds)


if __name__ == "__main__":
    main()
