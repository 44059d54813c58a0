#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models that the examples of the library run, and what PyTorch gives for them: tests/library/make_fixtures.py.

Needs torch. Writes models/*.pt and the expected output of every example beside it. What the programs in libtorch/ print is
written by these programs themselves, built against LibTorch: make_fixtures.py --libtorch, which needs g++.
"""

import io
import os
import subprocess
import sys
import tempfile
import zipfile

import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)

    def forward(self, x):
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(x + self.bn2(self.conv2(y)))


class ResNet(nn.Module):
    def __init__(self, channels=8, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(3, channels, 7, stride=2, padding=3)
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = nn.Sequential(Block(channels), Block(channels))
        self.fc = nn.Linear(channels, classes)

    def forward(self, x):
        x = self.layer1(self.pool(torch.relu(self.stem(x))))
        return self.fc(x.mean([2, 3]))


class Parts(nn.Module):
    """Several methods, several kinds of results."""

    scale: float
    names: list[str]

    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 3)
        self.decoder = nn.Linear(3, 4)
        self.drop = nn.Dropout(0.5)
        self.register_buffer("mean", torch.tensor([0.5, -0.5, 0.25, 0.0]))
        self.scale = 2.0
        self.names = ["left", "right"]

    def forward(self, x, mask: torch.Tensor | None = None):
        code = torch.tanh(self.encoder((x - self.mean) * self.scale))
        out = self.decoder(self.drop(code))
        if mask is not None:
            out = out * mask
        return {"code": code, "out": out}

    @torch.jit.export
    def encode(self, x):
        return self.encoder(x), x.shape[0]

    @torch.jit.export
    def halves(self, x, count: int = 2) -> list[torch.Tensor]:
        return list(x.chunk(count, 1))

    @torch.jit.export
    def check(self, x):
        assert x.dim() == 2, "expected a matrix"
        return x


class Curve(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(1, 16)
        self.out = nn.Linear(16, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x)))


def image(size=32):
    return torch.sin(torch.arange(3 * size * size) * 0.01).reshape(1, 3, size, size)


def save(module, name):
    """Without debug records, which name folders of this machine."""
    memory = io.BytesIO()
    torch.jit.save(module, memory)
    with zipfile.ZipFile(memory) as archive, zipfile.ZipFile(os.path.join(HERE, "models", name), "w") as out:
        for entry in archive.namelist():
            if not entry.endswith(".debug_pkl"):
                out.writestr(zipfile.ZipInfo(entry), archive.read(entry))


def write(name, text):
    with open(os.path.join(HERE, name), "w") as out:
        out.write(text)


def run_model(net):
    with torch.no_grad():
        scores = torch.softmax(net(image()), 1)
    values, classes = scores.topk(3)
    lines = [f"class {c}: {v:.4f}" for v, c in zip(values[0].tolist(), classes[0].tolist())]
    write("examples/run_model.expected", "\n".join(lines) + f"\n{scores[:, :4]}\n")


def input_gradient(net):
    x = image().requires_grad_()
    score = net(x)[0, 3]
    score.backward()
    g = x.grad
    strongest = g.abs().sum(1).flatten().argmax().item()
    lines = [f"score {score.item():.5f}", f"gradient of {list(g.shape)}, norm {g.norm().item():.5f}",
             f"strongest at row {strongest // 32}, column {strongest % 32}", str(g[0, 0, 14:17, 14:17])]
    write("examples/input_gradient.expected", "\n".join(lines) + "\n")


def training():
    net = torch.jit.load(os.path.join(HERE, "models/curve.pt"))
    x = torch.linspace(-1, 1, 32).reshape(32, 1)
    y = torch.sin(3 * x)
    adam = torch.optim.Adam(net.parameters(), lr=0.05)
    decay = torch.optim.lr_scheduler.StepLR(adam, step_size=50, gamma=0.5)
    lines = []
    for step in range(1, 151):
        adam.zero_grad()
        loss = torch.nn.functional.mse_loss(net(x), y)
        loss.backward()
        adam.step()
        decay.step()
        if step % 50 == 0:
            lines.append(f"step {step}: loss {loss.item():.4f}")
    with torch.no_grad():
        lines.append(f"at 0.5: {net(torch.tensor([[0.5]])).item():.3f}, sine {torch.sin(torch.tensor(1.5)).item():.3f}")
    write("examples/training.expected", "\n".join(lines) + "\n")


def events(net):
    from torch.utils._python_dispatch import TorchDispatchMode

    class Calls(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.count = {}

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            self.count[str(func._schema.name)] = self.count.get(str(func._schema.name), 0) + 1
            return out

    calls = Calls()
    with torch.no_grad(), calls:
        net(image())
    kinds = {"aten::convolution": "convolutions", "aten::relu": "relus"}
    lines = [f"{calls.count[name]} {text}" for name, text in kinds.items()]
    write("examples/events.expected", "\n".join(lines) + "\nfirst in stem\nlast: aten::linear in fc\n")


def c_example(net):
    x = image().requires_grad_()
    out = net(x)
    out.sum().backward()
    weight = net.fc.weight.grad
    lines = ["input 1x3x32x32 float32", "output 1x10, strides 10 1, 32 bits",
             " ".join(f"{v:.4f}" for v in out[0, :5].tolist()), f"gradient of the input: {x.grad.abs().sum().item():.4f}",
             f"gradient of fc.weight: {weight.abs().sum().item():.4f}"]
    write("examples/c_example.expected", "\n".join(lines) + "\n")


def libtorch():
    root = os.path.dirname(torch.__file__)
    for source in sorted(os.listdir(os.path.join(HERE, "libtorch"))):
        if not source.endswith(".cpp"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program")
            subprocess.run(
                ["g++", "-std=c++20", "-O1", os.path.join(HERE, "libtorch", source), "-o", program,
                 f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}", f"-I{root}/include",
                 f"-I{root}/include/torch/csrc/api/include", f"-L{root}/lib", f"-Wl,-rpath,{root}/lib", "-Wl,--no-as-needed",
                 "-ltorch", "-ltorch_cpu", "-lc10"], check=True)
            done = subprocess.run([program, os.path.join(HERE, "models")], cwd=folder, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{source}: {done.returncode}\n{done.stdout}{done.stderr}")
            write(f"libtorch/{source[:-4]}.expected", done.stdout)
            print(source)


def main():
    torch.manual_seed(7)
    os.makedirs(os.path.join(HERE, "models"), exist_ok=True)
    net = ResNet().eval()
    with torch.no_grad():  # statistics as after a training
        for module in net.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.running_mean.normal_(0, 0.2)
                module.running_var.uniform_(0.5, 1.5)
    save(torch.jit.trace(net, torch.rand(1, 3, 32, 32)), "resnet.pt")
    save(torch.jit.script(Parts().eval()), "parts.pt")
    save(torch.jit.script(Curve()), "curve.pt")
    run_model(net)
    input_gradient(net)
    events(net)
    net.zero_grad()
    c_example(net)
    training()


if __name__ == "__main__":
    if sys.argv[1:] == ["--libtorch"]:
        libtorch()
    else:
        main()
