# SPDX-License-Identifier: Apache-2.0
"""OPT (Zhang et al., 2022)."""

import torch
from torch import nn

from architectures.common import (activation, attention, causal_mask, embedding, example_ids, extend, head_of, linear,
                                  past_length, split_heads)
from architectures.decoder import QuestionAnswerer, SequenceClassifier
from architectures.gpt2 import LanguageModel


def norm(config):
    return nn.LayerNorm(config["hidden_size"], elementwise_affine=config.get("layer_norm_elementwise_affine", True))


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, has_bias = config["hidden_size"], config.get("enable_bias", True)
        self.heads = config["num_attention_heads"]
        self.k_proj = linear(width, width, has_bias)
        self.v_proj = linear(width, width, has_bias)
        self.q_proj = linear(width, width, has_bias)
        self.out_proj = linear(width, width, has_bias)

    def forward(self, x, mask, past):
        query, key, value = (split_heads(part(x), self.heads) for part in (self.q_proj, self.k_proj, self.v_proj))
        key, value = extend(past, key, value)
        return self.out_proj(attention(query, key, value, query.shape[-1] ** -0.5, mask)), (key, value)


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        has_bias = config.get("enable_bias", True)
        self.norms_before = config.get("do_layer_norm_before", True)
        self.self_attn = Attention(config)
        self.self_attn_layer_norm = norm(config)
        self.act = activation(config.get("activation_function", "relu"))
        self.fc1 = linear(config["hidden_size"], config["ffn_dim"], has_bias)
        self.fc2 = linear(config["ffn_dim"], config["hidden_size"], has_bias)
        self.final_layer_norm = norm(config)

    def forward(self, x, mask, past):
        mixed, cache = self.self_attn(self.self_attn_layer_norm(x) if self.norms_before else x, mask, past)
        x = x + mixed
        if not self.norms_before:
            x = self.self_attn_layer_norm(x)
        inner = self.final_layer_norm(x) if self.norms_before else x
        x = x + self.fc2(self.act(self.fc1(inner)))
        return x if self.norms_before else self.final_layer_norm(x), cache


class Decoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config["hidden_size"]
        inputs = config.get("word_embed_proj_dim") or width
        self.embed_tokens = embedding(config["vocab_size"], inputs)
        self.embed_positions = embedding(config["max_position_embeddings"] + 2, width)
        self.projects = inputs != width
        if self.projects:
            self.project_out = linear(width, inputs, False)
            self.project_in = linear(inputs, width, False)
        self.norms_last = config.get("do_layer_norm_before", True) and not config.get("_remove_final_layer_norm", False)
        if self.norms_last:
            self.final_layer_norm = norm(config)
        self.layers = nn.ModuleList([Layer(config) for _ in range(config["num_hidden_layers"])])

    def forward(self, input_ids, attention_mask, position_ids, past):
        held = past_length(past)
        if position_ids is None:
            # Positions count what is no padding.
            if attention_mask is None:
                position_ids = torch.arange(held, held + input_ids.shape[1], device=input_ids.device)[None]
            else:
                shown = attention_mask.to(torch.long)
                position_ids = (torch.cumsum(shown, dim=1) * shown - 1)[:, held:]
        x = self.embed_tokens(input_ids)
        if self.projects:
            x = self.project_in(x)
        x = x + self.embed_positions(position_ids + 2)
        mask = causal_mask(x, held, attention_mask)
        cache = []
        for i, layer in enumerate(self.layers):
            x, kept = layer(x, mask, None if past is None else past[i])
            cache.append(kept)
        if self.norms_last:
            x = self.final_layer_norm(x)
        if self.projects:
            x = self.project_out(x)
        return x, tuple(cache)


class OPT(nn.Module):
    base_model_prefix = "model"

    def __init__(self, config):
        super().__init__()
        self.decoder = Decoder(config)

    def forward(self, input_ids, attention_mask=None, position_ids=None, past_key_values=None, use_cache=False):
        x, cache = self.decoder(input_ids, attention_mask, position_ids, past_key_values)
        return (x, cache) if use_cache else x


def build(config):
    base = OPT(config)
    width = config.get("word_embed_proj_dim") or config["hidden_size"]
    head = head_of(config, "ForCausalLM")
    if head == "Model":
        return base
    if head == "ForSequenceClassification":
        return SequenceClassifier(config, width, base)
    if head == "ForQuestionAnswering":
        return QuestionAnswerer(config, width, base, "model")
    tied = "model.decoder.embed_tokens.weight" if config.get("tie_word_embeddings", True) else None
    return LanguageModel(width, config["vocab_size"], base, "model", "lm_head", tied)


def example_inputs(config):
    return (example_ids(config["vocab_size"]),)
