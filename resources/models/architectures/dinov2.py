# SPDX-License-Identifier: Apache-2.0
"""DINOv2 (Oquab et al., 2023): ViT with a scale for what each part adds."""

import torch
import torch.nn.functional as F
from torch import nn

from architectures.common import activation, head_of, label_count, linear, placeholder
from architectures.vit import Attention, Embeddings, Encoder, example_inputs, pair


class Dinov2Embeddings(Embeddings):
    def __init__(self, config):
        super().__init__(config)
        if config.get("use_mask_token", True):
            self.mask_token = placeholder(1, config["hidden_size"])
        self.patch = pair(config.get("patch_size", 14))

    def positions(self, height, width):
        """Stretched to pictures of another size than the model was trained with."""
        rows, columns = height // self.patch[0], width // self.patch[1]
        held = self.position_embeddings.shape[1] - 1
        if rows * columns == held and height == width:
            return self.position_embeddings
        side = int(held ** 0.5)
        grid = self.position_embeddings[:, 1:].reshape(1, side, side, -1).permute(0, 3, 1, 2)
        grid = F.interpolate(grid.to(torch.float32), size=(rows, columns), mode="bicubic", align_corners=False)
        grid = grid.to(self.position_embeddings.dtype).permute(0, 2, 3, 1).reshape(1, rows * columns, -1)
        return torch.cat((self.position_embeddings[:, :1], grid), dim=1)

    def forward(self, pixel_values):
        x = self.patch_embeddings(pixel_values)
        x = torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1)
        return x + self.positions(pixel_values.shape[2], pixel_values.shape[3])


class LayerScale(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.lambda1 = placeholder(width)

    def forward(self, x):
        return x * self.lambda1


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        inner = int(config["hidden_size"] * config.get("mlp_ratio", 4))
        self.fc1 = linear(config["hidden_size"], inner)
        self.act = activation(config.get("hidden_act", "gelu"))
        self.fc2 = linear(inner, config["hidden_size"])

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))


class SwiGLU(nn.Module):
    def __init__(self, config):
        super().__init__()
        inner = int(config["hidden_size"] * config.get("mlp_ratio", 4))
        inner = (int(inner * 2 / 3) + 7) // 8 * 8
        self.weights_in = linear(config["hidden_size"], 2 * inner)
        self.weights_out = linear(inner, config["hidden_size"])

    def forward(self, x):
        gate, up = self.weights_in(x).chunk(2, dim=-1)
        return self.weights_out(F.silu(gate) * up)


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, eps = config["hidden_size"], config.get("layer_norm_eps", 1e-6)
        self.norm1 = nn.LayerNorm(width, eps)
        self.attention = Attention(config)
        self.layer_scale1 = LayerScale(width)
        self.norm2 = nn.LayerNorm(width, eps)
        self.mlp = SwiGLU(config) if config.get("use_swiglu_ffn", False) else MLP(config)
        self.layer_scale2 = LayerScale(width)

    def forward(self, x):
        x = x + self.layer_scale1(self.attention(self.norm1(x)))
        return x + self.layer_scale2(self.mlp(self.norm2(x)))


class Dinov2(nn.Module):
    base_model_prefix = "dinov2"

    def __init__(self, config):
        super().__init__()
        self.embeddings = Dinov2Embeddings(config)
        self.encoder = Encoder(config, Layer)
        self.layernorm = nn.LayerNorm(config["hidden_size"], config.get("layer_norm_eps", 1e-6))

    def forward(self, pixel_values):
        x = self.layernorm(self.encoder(self.embeddings(pixel_values)))
        return x, x[:, 0]


class ImageClassifier(nn.Module):
    base_model_prefix = "dinov2"

    def __init__(self, config):
        super().__init__()
        self.dinov2 = Dinov2(config)
        self.classifier = linear(2 * config["hidden_size"], label_count(config))

    def forward(self, pixel_values):
        x, first = self.dinov2(pixel_values)
        return self.classifier(torch.cat((first, x[:, 1:].mean(dim=1)), dim=1))


def build(config):
    return ImageClassifier(config) if head_of(config, "Model") == "ForImageClassification" else Dinov2(config)
