# SPDX-License-Identifier: Apache-2.0
"""Prints what watching costs: steps that are watched against plain ones, medians of interleaved pairs.

watch_overhead.py [ROUNDS [CASE]]; needs PyTorch, and torchvision for resnet18. A step that is not measured and one that
is are timed each beside a plain one; what `every` steps cost together follows from these.
"""

import os
import statistics
import sys
import tempfile
import time

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "plugins", "python"))
import tensorloupe  # noqa: E402


def _watched(every, model, optimizer, work):
    """What work() gives in steps that are watched; the first, which is measured whole, is over."""
    with tempfile.TemporaryDirectory() as folder:
        watcher = tensorloupe.watch(model, optimizer, every, file=os.path.join(folder, "run.watch"))
        try:
            return work()
        finally:
            watcher.close()


def measure(name, model, x, small, rounds):
    """small: an input on which steps are short: what a step costs that is not measured depends on the model alone."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

    def step(x):
        begin = time.perf_counter()
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
        return time.perf_counter() - begin

    def steps():
        step(small)
        return [step(small) for _ in range(20)]

    steps()
    step(x)
    of_each, of_whole, plain = [], [], []
    for number in range(rounds):
        of_each += [a - b for a, b in zip(_watched(1 << 30, model, optimizer, steps), steps())]
        watched = _watched(1, model, optimizer, lambda: step(x))
        plain.append(step(x))
        of_whole.append(watched - plain[-1])
    base = statistics.median(plain)
    each, whole = statistics.median(of_each), statistics.median(of_whole)
    shares = ", ".join(f"every={n} {100 * (whole + (n - 1) * max(0.0, each)) / n / base:.2f} %" for n in (1, 10, 100))
    print(
        f"{name}: plain {base * 1e3:.1f} ms; a watched step {each * 1e6:+.0f} us, "
        f"one that is measured whole {whole * 1e3:+.1f} ms: {shares}",
        flush=True,
    )


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    case = sys.argv[2] if len(sys.argv) > 2 else ""
    if case in ("", "encoder"):
        layer = torch.nn.TransformerEncoderLayer(256, 4, batch_first=True)
        measure("encoder, 8x128x256", torch.nn.TransformerEncoder(layer, 4), torch.randn(8, 128, 256), torch.randn(1, 4, 256), rounds)
    if case in ("", "resnet18"):
        try:
            import torchvision
        except ImportError:
            print("resnet18: needs torchvision")
            return
        measure("resnet18, 8x3x224x224", torchvision.models.resnet18(), torch.randn(8, 3, 224, 224), torch.randn(2, 3, 32, 32), rounds)


if __name__ == "__main__":
    main()
