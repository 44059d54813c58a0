# SPDX-License-Identifier: Apache-2.0
"""CLIP (Radford et al., 2021): a text and a picture as vectors that are compared."""

import torch
from torch import nn

from architectures.common import (activation, attention, causal_mask, embedding, example_ids, head_of, label_count,
                                  linear, placeholder, split_heads)
from architectures.vit import example_picture, patch_count


def text_defaults(config):
    return {"hidden_act": "quick_gelu", "layer_norm_eps": 1e-5, "vocab_size": 49408, "hidden_size": 512,
            "intermediate_size": 2048, "projection_dim": 512, "num_hidden_layers": 12, "num_attention_heads": 8,
            "max_position_embeddings": 77, "eos_token_id": 49407, **config}


def vision_defaults(config):
    return {"hidden_act": "quick_gelu", "layer_norm_eps": 1e-5, "hidden_size": 768, "intermediate_size": 3072,
            "projection_dim": 512, "num_hidden_layers": 12, "num_attention_heads": 12, "num_channels": 3,
            "image_size": 224, "patch_size": 32, **config}


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
        self.act = activation(config["hidden_act"])
        self.fc1 = linear(config["hidden_size"], config["intermediate_size"])
        self.fc2 = linear(config["intermediate_size"], config["hidden_size"])

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, eps = config["hidden_size"], config["layer_norm_eps"]
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
        self.position_embedding = embedding(config["max_position_embeddings"], config["hidden_size"])

    def forward(self, input_ids):
        return self.token_embedding(input_ids) + self.position_embedding.weight[:input_ids.shape[1]]


class TextModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.end = config["eos_token_id"]
        self.embeddings = TextEmbeddings(config)
        self.encoder = Encoder(config)
        self.final_layer_norm = nn.LayerNorm(config["hidden_size"], config["layer_norm_eps"])

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
        width, patch = config["hidden_size"], config["patch_size"]
        self.class_embedding = placeholder(width)
        self.patch_embedding = nn.Conv2d(config["num_channels"], width, patch, patch, bias=False)
        self.position_embedding = embedding(patch_count(config) + 1, width)

    def forward(self, pixel_values):
        x = self.patch_embedding(pixel_values.to(self.patch_embedding.weight.dtype)).flatten(2).transpose(1, 2)
        first = self.class_embedding.expand(x.shape[0], 1, -1)
        return torch.cat((first, x), dim=1) + self.position_embedding.weight


class VisionModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        eps = config["layer_norm_eps"]
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
        text, vision = text_defaults(config["text_config"]), vision_defaults(config["vision_config"])
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


class ProjectedText(nn.Module):
    """Gives the text's vector, and all states."""
    base_model_prefix = "text_model"

    def __init__(self, config):
        super().__init__()
        self.text_model = TextModel(config)
        self.text_projection = linear(config["hidden_size"], config["projection_dim"], False)

    def forward(self, input_ids, attention_mask=None):
        states, pooled = self.text_model(input_ids, attention_mask)
        return self.text_projection(pooled), states


class ProjectedPicture(nn.Module):
    """Gives the picture's vector, and all states."""
    base_model_prefix = "vision_model"

    def __init__(self, config):
        super().__init__()
        self.vision_model = VisionModel(config)
        self.visual_projection = linear(config["hidden_size"], config["projection_dim"], False)

    def forward(self, pixel_values):
        states, pooled = self.vision_model(pixel_values)
        return self.visual_projection(pooled), states


class ImageClassifier(nn.Module):
    """Scores of labels, by the mean of the patches' states; `first` of the states are no patches."""

    def __init__(self, config, vision_model, width, first):
        super().__init__()
        self.vision_model = vision_model
        self.classifier = linear(width, label_count(config))
        self.first = first

    def forward(self, pixel_values):
        states = self.vision_model(pixel_values)
        states = states[0] if isinstance(states, tuple) else states
        return self.classifier(states[:, self.first:].mean(dim=1))


def build(config):
    if head_of(config, "Model") == "ForImageClassification":
        vision = vision_defaults(config["vision_config"])
        return ImageClassifier(config, VisionModel(vision), vision["hidden_size"], 1)
    return CLIP(config)


def example_ids_of(text):
    """Some, and the one that ends texts."""
    text = text_defaults(text)
    ids = example_ids(text["vocab_size"], min(8, text["max_position_embeddings"] - 1))
    return torch.cat((ids, torch.tensor([[min(text["eos_token_id"], text["vocab_size"] - 1)]])), dim=1)


def example_inputs(config):
    picture = example_picture(vision_defaults(config["vision_config"]))
    if head_of(config, "Model") == "ForImageClassification":
        return (picture,)
    return example_ids_of(config["text_config"]), picture
