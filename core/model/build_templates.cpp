// SPDX-License-Identifier: Apache-2.0
#include "core/model/build.h"

namespace loupe::session {
namespace {

constexpr const char* kMlp = R"(import torch
import torch.nn as nn

model = nn.Sequential(
    nn.Flatten(),
    nn.Linear(64, 128),
    nn.ReLU(),
    nn.Dropout(0.1),
    nn.Linear(128, 10),
)

example_inputs = (torch.randn(1, 1, 8, 8),)
)";

constexpr const char* kCnn = R"(import torch
import torch.nn as nn

model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1),
    nn.BatchNorm2d(16),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1),
    nn.BatchNorm2d(32),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(32, 10),
)

example_inputs = (torch.randn(1, 1, 8, 8),)
)";

constexpr const char* kResNet = R"(import torch
import torch.nn as nn


class Block(nn.Module):
    """Two convolutions around which the input goes by."""

    def __init__(self, channels, out_channels, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out_channels, 3, stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out_channels)
        self.relu = nn.ReLU()
        self.shortcut = nn.Identity()
        if stride != 1 or channels != out_channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels, out_channels, 1, stride, bias=False),
                nn.BatchNorm2d(out_channels),
            )

    def forward(self, x):
        y = self.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return self.relu(y + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self, channels=1, classes=10, width=16):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(channels, width, 3, padding=1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(),
        )
        self.layer1 = nn.Sequential(Block(width, width), Block(width, width))
        self.layer2 = nn.Sequential(Block(width, 2 * width, 2), Block(2 * width, 2 * width))
        self.head = nn.Linear(2 * width, classes)

    def forward(self, x):
        x = self.layer2(self.layer1(self.stem(x)))
        x = x.mean((2, 3))
        return self.head(x)


model = ResNet()

example_inputs = (torch.randn(1, 1, 8, 8),)
)";

constexpr const char* kAutoencoder = R"(import torch
import torch.nn as nn

model = nn.Sequential(
    nn.Flatten(),
    nn.Linear(64, 32),
    nn.ReLU(),
    nn.Linear(32, 8),
    nn.ReLU(),
    nn.Linear(8, 32),
    nn.ReLU(),
    nn.Linear(32, 64),
    nn.Unflatten(1, (1, 8, 8)),
)

example_inputs = (torch.randn(1, 1, 8, 8),)
)";

constexpr const char* kLstm = R"(import torch
import torch.nn as nn


class Tagger(nn.Module):
    """Reads a row of numbers and says which class it is of."""

    def __init__(self, vocabulary=128, width=32, hidden=64, classes=4):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * hidden, classes)

    def forward(self, tokens):
        states, _ = self.lstm(self.embedding(tokens))
        return self.head(states.mean(1))


model = Tagger()

example_inputs = (torch.randint(0, 128, (1, 16)),)
)";

constexpr const char* kGpt = R"(import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).reshape(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)
        later = torch.ones(length, length, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, float("-inf"))
        y = F.softmax(scores, -1) @ v
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, vocabulary=128, length=64, width=64, heads=4, layers=2):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(length, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1])
        x = self.tokens(tokens) + self.positions(places)
        return self.head(self.norm(self.blocks(x)))


model = GPT()

example_inputs = (torch.randint(0, 128, (1, 16)),)
)";

}  // namespace

std::vector<BuildTemplate> list_templates() {
    return {{"MLP", "linear layers with ReLU between them", kMlp},
            {"Small CNN", "two convolutions, then a mean over the picture", kCnn},
            {"ResNet", "residual blocks", kResNet},
            {"Autoencoder", "down to eight numbers and back; its target is its input", kAutoencoder},
            {"LSTM", "a bidirectional LSTM over tokens", kLstm},
            {"GPT", "a decoder of two blocks", kGpt}};
}

}  // namespace loupe::session
