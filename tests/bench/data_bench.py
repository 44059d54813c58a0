"""Loading 10,000 PNG pictures of 64x64 and a 500 MB state_dict, ours against PyTorch's, taking turns in the same run.

    /usr/bin/python3 tests/bench/data_bench.py build/bin/bench_data [FOLDER]

Pictures: torch.utils.data.DataLoader with 2 worker processes, batches of 64, over torchvision's ImageFolder with ToTensor (PIL opens,
converts to RGB, then float32 in 0..1); ours with 2 worker threads does the same. The best
of three runs each; of the state_dict, which hangs on what the disk does meanwhile, the median of seven. The ratio is below 1 where ours is faster.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import torch
import torchvision
from PIL import Image

TENSORS = 20
ELEMENTS = 500 * 1024 * 1024 // 4 // TENSORS


def make_pictures(folder):
    """Smooth colours with a little noise: as hard to unpack as photographs."""
    random = numpy.random.RandomState(1)
    y, x = numpy.mgrid[0:64, 0:64] / 64.0
    for c in range(10):
        os.makedirs(os.path.join(folder, "class%d" % c))
        for i in range(1000):
            waves = [numpy.sin(random.rand() * 9 * x + random.rand() * 9 * y + random.rand() * 6) for _ in range(3)]
            pixels = numpy.stack(waves, -1) * 100 + 128 + random.randint(-6, 7, (64, 64, 3))
            Image.fromarray(pixels.clip(0, 255).astype(numpy.uint8)).save(os.path.join(folder, "class%d" % c, "%04d.png" % i))


def ours(program, *arguments):
    return [float(x) for x in subprocess.run([program, *arguments], check=True, capture_output=True, text=True, timeout=300).stdout.split()]


def pictures(program, folder):
    data = os.path.join(folder, "pictures")
    make_pictures(data)
    reference = torchvision.datasets.ImageFolder(data, torchvision.transforms.ToTensor())
    times = {"PyTorch": [], "ours": []}
    for _ in range(3):
        begin = time.perf_counter()
        count = sum(batch.shape[0] for batch, _ in torch.utils.data.DataLoader(reference, batch_size=64, num_workers=2))
        times["PyTorch"].append(time.perf_counter() - begin)
        seconds, own = ours(program, "pictures", data, "2")
        assert count == own == 10000
        times["ours"].append(seconds)
    report("10,000 pictures, 2 workers", min(times["ours"]), min(times["PyTorch"]))


def in_child(work):
    """Seconds and how many KiB the peak grew, in a process of its own."""
    out, into = os.pipe()
    if os.fork() == 0:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds = work()
        os.write(into, b"%f %d" % (seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before))
        os._exit(0)
    os.wait()
    seconds, grown = os.read(out, 100).split()
    return float(seconds), int(grown)


def checkpoints(program, folder):
    path = os.path.join(folder, "torch.pt")
    own = os.path.join(folder, "ours.pt")

    def save():
        state = {"layer%d" % i: torch.arange(ELEMENTS, dtype=torch.float32) + i for i in range(TENSORS)}
        begin = time.perf_counter()
        torch.save(state, path)
        return time.perf_counter() - begin

    def load(touch):
        begin = time.perf_counter()
        state = torch.load(path)
        if touch:
            sum(float(t[::1024].sum()) for t in state.values())
        return time.perf_counter() - begin

    saves, loads, touches = [], [], []
    for _ in range(7):
        saves.append((ours(program, "save", own), in_child(save)))
        loads.append((ours(program, "load", own), in_child(lambda: load(False))))
        touches.append((ours(program, "touch", own), in_child(lambda: load(True))))
    torch.load(own)
    for name, runs in (("save 500 MB", saves), ("load 500 MB", loads), ("load 500 MB and read every page", touches)):
        report(name, statistics.median(run[0][0] for run in runs), statistics.median(run[1][0] for run in runs),
               "; memory grows by %.0f MiB, PyTorch's by %.0f" % (runs[0][0][1] / 1024, runs[0][1][1] / 1024))


def report(name, own, reference, more=""):
    print("%-34s ours %.3f s, PyTorch %.3f s, ratio %.2f%s" % (name, own, reference, own / reference, more), flush=True)


if __name__ == "__main__":
    torch.set_num_threads(2)
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
        pictures(sys.argv[1], folder)
        checkpoints(sys.argv[1], folder)
