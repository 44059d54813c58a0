# SPDX-License-Identifier: Apache-2.0
"""Gemma 3 (2025) with pictures: what SigLIP sees stands in place of tokens that are kept for it."""

import torch
import torch.nn.functional as F
from torch import nn

from architectures.common import CenteredRMSNorm, example_ids, head_of, linear, placeholder
from architectures.decoder import Decoder
from architectures.gemma3_text import gemma3_layout
from architectures.siglip import VisionModel, with_defaults
from architectures.vit import example_picture

# Files have the parts beside each other, those of before 2025 with the tower's own prefix.
NAMES = {"language_model.model.": "model.language_model.", "language_model.lm_head.": "lm_head.",
         "vision_tower.vision_model.": "model.vision_tower.", "vision_tower.": "model.vision_tower.",
         "model.vision_tower.vision_model.": "model.vision_tower.",
         "multi_modal_projector.": "model.multi_modal_projector."}


def text_config(config):
    return {"vocab_size": 262208, "hidden_size": 2304, "intermediate_size": 9216, "num_hidden_layers": 26,
            "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "max_position_embeddings": 131072,
            **(config.get("text_config") or {})}


def picture_token(config):
    return config.get("image_token_index", config.get("image_token_id", 262144))


class Projector(nn.Module):
    """Means of squares of patches, normed, as wide as the text's tokens."""

    def __init__(self, config, vision, width):
        super().__init__()
        self.mm_input_projection_weight = placeholder(vision["hidden_size"], width)
        self.mm_soft_emb_norm = CenteredRMSNorm(vision["hidden_size"], vision["layer_norm_eps"])
        self.side = vision["image_size"] // vision["patch_size"]
        self.pool = self.side // int(config.get("mm_tokens_per_image", 256) ** 0.5)

    def forward(self, x):
        grid = x.transpose(1, 2).reshape(x.shape[0], x.shape[2], self.side, self.side)
        pooled = F.avg_pool2d(grid, self.pool, self.pool).flatten(2).transpose(1, 2)
        return torch.matmul(self.mm_soft_emb_norm(pooled), self.mm_input_projection_weight)


def picture_blocks(token_type_ids):
    """[batch, length] numbers of pictures, -1 for text."""
    shows = token_type_ids == 1
    before = F.pad(shows.to(torch.long), (1, 0))[:, :-1]
    begins = torch.logical_and(shows, before == 0)
    numbers = torch.cumsum(begins.to(torch.long), dim=1) - 1
    return torch.where(shows, numbers, torch.full_like(numbers, -1))


class Gemma3(nn.Module):
    base_model_prefix = "model"
    renamed = NAMES

    def __init__(self, config, layout, vision):
        super().__init__()
        self.vision_tower = VisionModel(vision)
        self.multi_modal_projector = Projector(config, vision, layout.width)
        self.language_model = Decoder(layout)
        self.picture_token = picture_token(config)

    def embed(self, input_ids, pixel_values):
        is_picture = input_ids == self.picture_token
        # The token need not be one of the vocabulary.
        x = self.language_model.embed(input_ids.masked_fill(is_picture, 0) if pixel_values is not None else input_ids)
        if pixel_values is None:
            return x
        seen = self.vision_tower(pixel_values)
        seen = self.multi_modal_projector(seen[0] if isinstance(seen, tuple) else seen).to(x.dtype)
        if int(is_picture.sum()) != seen.shape[0] * seen.shape[1]:
            raise ValueError(f"the text keeps {int(is_picture.sum())} tokens for pictures, and there are "
                             f"{seen.shape[0] * seen.shape[1]}")
        return x.masked_scatter(is_picture[:, :, None].expand(x.shape), seen)

    def forward(self, input_ids, pixel_values=None, attention_mask=None, position_ids=None, past_key_values=None,
                token_type_ids=None, use_cache=False):
        """token_type_ids: 1 where a picture stands, whose tokens see each other."""
        blocks = None if token_type_ids is None else picture_blocks(token_type_ids)
        x, cache = self.language_model.run_layers(self.embed(input_ids, pixel_values), attention_mask, position_ids,
                                                  past_key_values, blocks)
        return (x, cache) if use_cache else x


class WithHead(nn.Module):
    base_model_prefix = "model"
    renamed = NAMES

    def __init__(self, config, layout, vision):
        super().__init__()
        self.model = Gemma3(config, layout, vision)
        self.lm_head = linear(layout.width, layout.vocabulary, False)
        if config.get("tie_word_embeddings", True):
            self.tied_weights = {"lm_head.weight": "model.language_model.embed_tokens.weight"}

    def forward(self, input_ids, pixel_values=None, attention_mask=None, position_ids=None, past_key_values=None,
                token_type_ids=None, use_cache=False):
        x, cache = self.model(input_ids, pixel_values, attention_mask, position_ids, past_key_values, token_type_ids,
                              True)
        logits = self.lm_head(x)
        return (logits, cache) if use_cache else logits


def build(config):
    layout = gemma3_layout(text_config(config))
    vision = with_defaults(config.get("vision_config") or {})
    kind = Gemma3 if head_of(config, "ForConditionalGeneration") == "Model" else WithHead
    return kind(config, layout, vision)


def example_inputs(config):
    """A text in whose middle a picture stands."""
    text, count = text_config(config), config.get("mm_tokens_per_image", 256)
    ids = example_ids(text["vocab_size"])
    tokens = torch.full((1, count), picture_token(config))
    ids = torch.cat((ids[:, :4], tokens, ids[:, 4:]), dim=1)
    kinds = (ids == picture_token(config)).to(torch.long)
    return ids, example_picture(with_defaults(config.get("vision_config") or {})), None, None, None, kinds
