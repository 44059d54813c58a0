# SPDX-License-Identifier: Apache-2.0
"""CLIP (Radford et al., 2021): a text and a picture as vectors that are compared."""

import torch
from torch import nn

from architectures.common import (activation, attention, causal_mask, embedding, example_ids, linear, placeholder,
                                  split_heads)
from architectures.vit import example_picture, patch_count


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config["hidden_size"]
        self.heads = config["num_attention_heads"]
        self.k_proj = linear(width, width)
        self.v_proj = linear(width, width)
        self.q_proj = linear(width, width)
        self.out_proj = linear(width, width)

    def forward(self, x, mask):
        query, key, value = (split_heads(part(x), self.heads) for part in (self.q_proj, self.k_proj, self.v_proj))
        return self.out_proj(attention(query, key, value, query.shape[-1] ** -0.5, mask))


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.act = activation(config.get("hidden_act", "quick_gelu"))
        self.fc1 = linear(config["hidden_size"], config["intermediate_size"])
        self.fc2 = linear(config["intermediate_size"], config["hidden_size"])

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, eps = config["hidden_size"], config.get("layer_norm_eps", 1e-5)
        self.self_attn = Attention(config)
        self.layer_norm1 = nn.LayerNorm(width, eps)
        self.mlp = MLP(config)
        self.layer_norm2 = nn.LayerNorm(width, eps)

    def forward(self, x, mask):
        x = x + self.self_attn(self.layer_norm1(x), mask)
        return x + self.mlp(self.layer_norm2(x))


class Encoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.layers = nn.ModuleList([Layer(config) for _ in range(config["num_hidden_layers"])])

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return x


class TextEmbeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.token_embedding = embedding(config["vocab_size"], config["hidden_size"])
        self.position_embedding = embedding(config.get("max_position_embeddings", 77), config["hidden_size"])

    def forward(self, input_ids):
        return self.token_embedding(input_ids) + self.position_embedding.weight[:input_ids.shape[1]]


class TextModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.end = config.get("eos_token_id", 49407)
        self.embeddings = TextEmbeddings(config)
        self.encoder = Encoder(config)
        self.final_layer_norm = nn.LayerNorm(config["hidden_size"], config.get("layer_norm_eps", 1e-5))

    def forward(self, input_ids, attention_mask=None):
        """All states, and that of the end of the text."""
        x = self.embeddings(input_ids)
        x = self.final_layer_norm(self.encoder(x, causal_mask(x, 0, attention_mask)))
        # Configs of the first models name another token than the one that ends their texts, the highest.
        found = input_ids if self.end == 2 else (input_ids == self.end).to(torch.long)
        return x, x[torch.arange(x.shape[0], device=x.device), found.argmax(dim=-1)]


class VisionEmbeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, patch = config["hidden_size"], config.get("patch_size", 32)
        self.class_embedding = placeholder(width)
        self.patch_embedding = nn.Conv2d(config.get("num_channels", 3), width, patch, patch, bias=False)
        self.position_embedding = embedding(patch_count({"patch_size": 32, **config}) + 1, width)

    def forward(self, pixel_values):
        x = self.patch_embedding(pixel_values.to(self.patch_embedding.weight.dtype)).flatten(2).transpose(1, 2)
        first = self.class_embedding.expand(x.shape[0], 1, -1)
        return torch.cat((first, x), dim=1) + self.position_embedding.weight


class VisionModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        eps = config.get("layer_norm_eps", 1e-5)
        self.embeddings = VisionEmbeddings(config)
        self.pre_layrnorm = nn.LayerNorm(config["hidden_size"], eps)
        self.encoder = Encoder(config)
        self.post_layernorm = nn.LayerNorm(config["hidden_size"], eps)

    def forward(self, pixel_values):
        """All states, and that of the class token, normed."""
        x = self.encoder(self.pre_layrnorm(self.embeddings(pixel_values)))
        return x, self.post_layernorm(x[:, 0])


def unit(x):
    return x / x.norm(p=2, dim=-1, keepdim=True)


class CLIP(nn.Module):
    """Gives logits of pictures for texts, their transpose, and both as unit vectors."""

    def __init__(self, config):
        super().__init__()
        text, vision = config["text_config"], config["vision_config"]
        width = config.get("projection_dim", 512)
        self.text_model = TextModel(text)
        self.vision_model = VisionModel(vision)
        self.visual_projection = linear(vision["hidden_size"], width, False)
        self.text_projection = linear(text["hidden_size"], width, False)
        self.logit_scale = placeholder()

    def forward(self, input_ids, pixel_values, attention_mask=None):
        picture = unit(self.visual_projection(self.vision_model(pixel_values)[1]))
        text = unit(self.text_projection(self.text_model(input_ids, attention_mask)[1]))
        by_text = torch.matmul(text, picture.t()) * self.logit_scale.exp()
        return by_text.t(), by_text, text, picture


def build(config):
    return CLIP(config)


def example_inputs(config):
    text = config["text_config"]
    ids = example_ids(text["vocab_size"])
    end = torch.tensor([[text.get("eos_token_id", 49407)]])
    return torch.cat((ids, end), dim=1), example_picture({"image_size": 224, **config["vision_config"]})
