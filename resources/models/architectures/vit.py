# SPDX-License-Identifier: Apache-2.0
"""ViT (Dosovitskiy et al., 2020)."""

import torch
from torch import nn

from architectures.common import activation, attention, head_of, label_count, linear, placeholder, split_heads


def pair(size):
    return tuple(size) if isinstance(size, (list, tuple)) else (size, size)


class PatchEmbeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        patch = pair(config.get("patch_size", 16))
        self.projection = nn.Conv2d(config.get("num_channels", 3), config["hidden_size"], patch, patch)

    def forward(self, pixel_values):
        return self.projection(pixel_values.to(self.projection.weight.dtype)).flatten(2).transpose(1, 2)


def patch_count(config):
    size, patch = pair(config.get("image_size", 224)), pair(config.get("patch_size", 16))
    return (size[0] // patch[0]) * (size[1] // patch[1])


class Embeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config["hidden_size"]
        self.cls_token = placeholder(1, 1, width)
        self.patch_embeddings = PatchEmbeddings(config)
        self.position_embeddings = placeholder(1, patch_count(config) + 1, width)

    def forward(self, pixel_values):
        x = self.patch_embeddings(pixel_values)
        return torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1) + self.position_embeddings


class SelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, has_bias = config["hidden_size"], config.get("qkv_bias", True)
        self.heads = config["num_attention_heads"]
        self.query = linear(width, width, has_bias)
        self.key = linear(width, width, has_bias)
        self.value = linear(width, width, has_bias)

    def forward(self, x):
        query, key, value = (split_heads(part(x), self.heads) for part in (self.query, self.key, self.value))
        return attention(query, key, value, query.shape[-1] ** -0.5)


class Dense(nn.Module):
    def __init__(self, inputs, outputs, act=None):
        super().__init__()
        self.dense = linear(inputs, outputs)
        self.act = act

    def forward(self, x):
        x = self.dense(x)
        return x if self.act is None else self.act(x)


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention = SelfAttention(config)
        self.output = Dense(config["hidden_size"], config["hidden_size"])

    def forward(self, x):
        return self.output(self.attention(x))


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, eps = config["hidden_size"], config.get("layer_norm_eps", 1e-12)
        self.attention = Attention(config)
        self.intermediate = Dense(width, config["intermediate_size"], activation(config.get("hidden_act", "gelu")))
        self.output = Dense(config["intermediate_size"], width)
        self.layernorm_before = nn.LayerNorm(width, eps)
        self.layernorm_after = nn.LayerNorm(width, eps)

    def forward(self, x):
        x = x + self.attention(self.layernorm_before(x))
        return x + self.output(self.intermediate(self.layernorm_after(x)))


class Encoder(nn.Module):
    def __init__(self, config, layer):
        super().__init__()
        self.layer = nn.ModuleList([layer(config) for _ in range(config["num_hidden_layers"])])

    def forward(self, x):
        for layer in self.layer:
            x = layer(x)
        return x


class ViT(nn.Module):
    base_model_prefix = "vit"

    def __init__(self, config, has_pooler):
        super().__init__()
        self.embeddings = Embeddings(config)
        self.encoder = Encoder(config, Layer)
        self.layernorm = nn.LayerNorm(config["hidden_size"], config.get("layer_norm_eps", 1e-12))
        self.has_pooler = has_pooler
        if has_pooler:
            self.optional = {"pooler": "has_pooler"}
            self.pooler = Dense(config["hidden_size"], config.get("pooler_output_size") or config["hidden_size"],
                                activation(config.get("pooler_act") or "tanh"))

    def forward(self, pixel_values):
        x = self.layernorm(self.encoder(self.embeddings(pixel_values)))
        return (x, self.pooler(x[:, 0])) if self.has_pooler else x


class ImageClassifier(nn.Module):
    base_model_prefix = "vit"

    def __init__(self, config):
        super().__init__()
        self.vit = ViT(config, False)
        self.classifier = linear(config["hidden_size"], label_count(config))

    def forward(self, pixel_values):
        return self.classifier(self.vit(pixel_values)[:, 0])


def build(config):
    return ImageClassifier(config) if head_of(config, "Model") == "ForImageClassification" else ViT(config, True)


def example_picture(config):
    height, width = pair(config.get("image_size", 224))
    ramp = torch.linspace(-1, 1, height * width).view(1, 1, height, width)
    return ramp.repeat(1, config.get("num_channels", 3), 1, 1)


def example_inputs(config):
    return (example_picture(config),)
