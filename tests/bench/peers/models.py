"""The ten models that peers and Tensorloupe are given, and their files: TorchScript, torch.export, ONNX."""

import os
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F


class Lenet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5000, 128)
        self.lstm = nn.LSTM(128, 256, 2, batch_first=True)
        self.head = nn.Linear(256, 40)

    def forward(self, tokens):
        return self.head(self.lstm(self.embedding(tokens))[0])


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, c))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Gpt(nn.Module):
    def __init__(self, layers=6, width=384, vocabulary=8000, length=128):
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, 6) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        def twice(a, b):
            return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(),
                                 nn.Conv2d(b, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU())
        self.down1, self.down2, self.middle = twice(3, 32), twice(32, 64), twice(64, 128)
        self.up1, self.up2 = nn.ConvTranspose2d(128, 64, 2, 2), nn.ConvTranspose2d(64, 32, 2, 2)
        self.merge1, self.merge2, self.out = twice(128, 64), twice(64, 32), nn.Conv2d(32, 2, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        c = self.middle(F.max_pool2d(b, 2))
        x = self.merge1(torch.cat([self.up1(c), b], 1))
        return self.out(self.merge2(torch.cat([self.up2(x), a], 1)))


def vision(name):
    def make():
        import torchvision
        return getattr(torchvision.models, name)(weights=None)
    return make


def images(n=1, channels=3, size=224):
    return lambda: (torch.randn(n, channels, size, size),)


def words(vocabulary, length):
    return lambda: (torch.randint(0, vocabulary, (1, length)),)


# name: (module, inputs)
MODELS = {
    "mlp": (lambda: nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10)), lambda: (torch.randn(8, 784),)),
    "lenet": (Lenet, images(8, 1, 28)),
    "resnet18": (vision("resnet18"), images()),
    "resnet50": (vision("resnet50"), images()),
    "mobilenet_v3_small": (vision("mobilenet_v3_small"), images()),
    "densenet121": (vision("densenet121"), images()),
    "vit_b_16": (vision("vit_b_16"), images()),
    "unet": (Unet, images(1, 3, 128)),
    "lstm_tagger": (Tagger, words(5000, 64)),
    "gpt": (Gpt, words(8000, 128)),
}


def module_of(name):
    torch.manual_seed(0)
    make, inputs = MODELS[name]
    return make().eval(), inputs()


def write(folder):
    """NAME.pt (traced, with its inputs beside it), NAME.pt2, NAME.onnx; what cannot be written is left out."""
    import numpy as np
    warnings.filterwarnings("ignore")
    for name in MODELS:
        module, inputs = module_of(name)
        path = os.path.join(folder, name)
        if os.path.exists(path + ".in.npz"):
            continue
        torch.jit.trace(module, inputs, check_trace=False).save(path + ".pt")
        for ending, put in ((".pt2", lambda p: torch.export.save(torch.export.export(module, inputs), p)),
                            (".onnx", lambda p: torch.onnx.export(module, inputs, p, dynamo=True, external_data=False))):
            try:
                put(path + ending)
            except Exception as error:  # a tool that cannot write it is no matter of those that read it
                print("%s%s: %s" % (name, ending, str(error).splitlines()[0]))
        np.savez(path + ".in.npz", **{"arg%d" % i: value.numpy() for i, value in enumerate(inputs)})
