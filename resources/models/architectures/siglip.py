# SPDX-License-Identifier: Apache-2.0
"""SigLIP (Zhai et al., 2023): CLIP whose pairs are judged one by one."""

import torch
from torch import nn

from architectures.clip import Encoder, ImageClassifier, MLP, TextEmbeddings, unit
from architectures.common import (attention, embedding, example_ids, head_of, linear, padding_mask, placeholder,
                                  split_heads)
from architectures.vit import example_picture, patch_count


def with_defaults(config):
    return {"hidden_act": "gelu_pytorch_tanh", "layer_norm_eps": 1e-6, "hidden_size": 768, "intermediate_size": 3072,
            "num_hidden_layers": 12, "num_attention_heads": 12, "vocab_size": 32000, "max_position_embeddings": 64,
            "image_size": 224, "patch_size": 16, "num_channels": 3, **config}


class TextModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embeddings = TextEmbeddings(config)
        self.encoder = Encoder(config)
        self.final_layer_norm = nn.LayerNorm(config["hidden_size"], config["layer_norm_eps"])
        self.head = linear(config["hidden_size"], config.get("projection_size") or config["hidden_size"])

    def forward(self, input_ids, attention_mask=None):
        """All states, and what the head makes of the last."""
        x = self.embeddings(input_ids)
        x = self.final_layer_norm(self.encoder(x, padding_mask(attention_mask, x.dtype)))
        return x, self.head(x[:, -1])


class VisionEmbeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, patch = config["hidden_size"], config["patch_size"]
        self.patch_embedding = nn.Conv2d(config["num_channels"], width, patch, patch)
        self.position_embedding = embedding(patch_count(config), width)

    def forward(self, pixel_values):
        x = self.patch_embedding(pixel_values.to(self.patch_embedding.weight.dtype)).flatten(2).transpose(1, 2)
        return x + self.position_embedding.weight


class ProbeAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.in_proj_weight = placeholder(3 * width, width)
        self.in_proj_bias = placeholder(3 * width)
        self.out_proj = linear(width, width)

    def forward(self, probe, x):
        weights, biases = self.in_proj_weight.chunk(3), self.in_proj_bias.chunk(3)
        query, key, value = (split_heads(torch.matmul(of, weights[i].t()) + biases[i], self.heads)
                             for i, of in enumerate((probe, x, x)))
        return self.out_proj(attention(query, key, value, query.shape[-1] ** -0.5))


class PoolingHead(nn.Module):
    """A learned query that looks at all patches."""

    def __init__(self, config):
        super().__init__()
        width = config["hidden_size"]
        self.probe = placeholder(1, 1, width)
        self.attention = ProbeAttention(width, config["num_attention_heads"])
        self.layernorm = nn.LayerNorm(width, config["layer_norm_eps"])
        self.mlp = MLP(config)

    def forward(self, x):
        x = self.attention(self.probe.expand(x.shape[0], -1, -1), x)
        return (x + self.mlp(self.layernorm(x)))[:, 0]


class VisionModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embeddings = VisionEmbeddings(config)
        self.encoder = Encoder(config)
        self.post_layernorm = nn.LayerNorm(config["hidden_size"], config["layer_norm_eps"])
        self.has_head = config.get("vision_use_head", True)
        if self.has_head:
            self.head = PoolingHead(config)

    def forward(self, pixel_values):
        """All states, and what the head makes of them."""
        x = self.post_layernorm(self.encoder(self.embeddings(pixel_values)))
        return (x, self.head(x)) if self.has_head else x


class Siglip(nn.Module):
    """Gives logits of pictures for texts, their transpose, and both as unit vectors."""

    def __init__(self, config):
        super().__init__()
        self.text_model = TextModel(with_defaults(config["text_config"]))
        self.vision_model = VisionModel(with_defaults(config["vision_config"]))
        self.logit_scale = placeholder(1)
        self.logit_bias = placeholder(1)

    def forward(self, input_ids, pixel_values, attention_mask=None):
        picture = unit(self.vision_model(pixel_values)[1])
        text = unit(self.text_model(input_ids, attention_mask)[1])
        by_text = torch.matmul(text, picture.t()) * self.logit_scale.exp() + self.logit_bias
        return by_text.t(), by_text, text, picture


def build(config):
    if head_of(config, "Model") == "ForImageClassification":
        vision = with_defaults(config["vision_config"])
        return ImageClassifier(config, VisionModel(vision), vision["hidden_size"], 0)
    return Siglip(config)


def example_inputs(config):
    picture = example_picture(with_defaults(config["vision_config"]))
    if head_of(config, "Model") == "ForImageClassification":
        return (picture,)
    text = with_defaults(config["text_config"])
    return example_ids(text["vocab_size"], min(8, text["max_position_embeddings"])), picture
