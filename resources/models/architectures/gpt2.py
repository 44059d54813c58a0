# SPDX-License-Identifier: Apache-2.0
"""GPT-2 (Radford et al., 2019)."""

import torch
from torch import nn

from architectures.common import (activation, attention, causal_mask, embedding, example_ids, extend, head_of, linear,
                                  past_length, placeholder, positions_after, split_heads)
from architectures.decoder import QuestionAnswerer, SequenceClassifier, TokenClassifier


class Conv1D(nn.Module):
    """A linear layer whose weight is [inputs, outputs]."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = placeholder(inputs, outputs)
        self.bias = placeholder(outputs)

    def forward(self, x):
        return torch.matmul(x, self.weight) + self.bias


class Attention(nn.Module):
    def __init__(self, config, index):
        super().__init__()
        width = config["n_embd"]
        self.heads = config["n_head"]
        self.scaling = (width // self.heads) ** -0.5 if config.get("scale_attn_weights", True) else 1.0
        if config.get("scale_attn_by_inverse_layer_idx", False):
            self.scaling = self.scaling / (index + 1)
        self.c_attn = Conv1D(width, 3 * width)
        self.c_proj = Conv1D(width, width)

    def forward(self, x, mask, past):
        query, key, value = self.c_attn(x).chunk(3, dim=-1)
        key, value = extend(past, split_heads(key, self.heads), split_heads(value, self.heads))
        mixed = attention(split_heads(query, self.heads), key, value, self.scaling, mask)
        return self.c_proj(mixed), (key, value)


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config["n_embd"]
        inner = config.get("n_inner") or 4 * width
        self.c_fc = Conv1D(width, inner)
        self.c_proj = Conv1D(inner, width)
        self.act = activation(config.get("activation_function", "gelu_new"))

    def forward(self, x):
        return self.c_proj(self.act(self.c_fc(x)))


class Block(nn.Module):
    def __init__(self, config, index):
        super().__init__()
        eps = config.get("layer_norm_epsilon", 1e-5)
        self.ln_1 = nn.LayerNorm(config["n_embd"], eps)
        self.attn = Attention(config, index)
        self.ln_2 = nn.LayerNorm(config["n_embd"], eps)
        self.mlp = MLP(config)

    def forward(self, x, mask, past):
        mixed, cache = self.attn(self.ln_1(x), mask, past)
        x = x + mixed
        return x + self.mlp(self.ln_2(x)), cache


class GPT2(nn.Module):
    base_model_prefix = "transformer"

    def __init__(self, config):
        super().__init__()
        width = config["n_embd"]
        self.wte = embedding(config["vocab_size"], width)
        self.wpe = embedding(config["n_positions"], width)
        self.h = nn.ModuleList([Block(config, i) for i in range(config["n_layer"])])
        self.ln_f = nn.LayerNorm(width, config.get("layer_norm_epsilon", 1e-5))

    def forward(self, input_ids, attention_mask=None, position_ids=None, past_key_values=None, use_cache=False):
        held = past_length(past_key_values)
        if position_ids is None:
            position_ids = positions_after(input_ids, held)
        x = self.wte(input_ids) + self.wpe(position_ids)
        mask = causal_mask(x, held, attention_mask)
        cache = []
        for i, block in enumerate(self.h):
            x, kept = block(x, mask, None if past_key_values is None else past_key_values[i])
            cache.append(kept)
        x = self.ln_f(x)
        return (x, tuple(cache)) if use_cache else x


class LanguageModel(nn.Module):
    def __init__(self, width, vocabulary, base, prefix, head, tied):
        super().__init__()
        self.base_model_prefix = prefix
        self.head_name = head
        setattr(self, prefix, base)
        setattr(self, head, linear(width, vocabulary, False))
        self.tied_weights = {head + ".weight": tied} if tied else {}

    def forward(self, input_ids, attention_mask=None, position_ids=None, past_key_values=None, use_cache=False):
        base, head = getattr(self, self.base_model_prefix), getattr(self, self.head_name)
        x, cache = base(input_ids, attention_mask, position_ids, past_key_values, True)
        logits = head(x)
        return (logits, cache) if use_cache else logits


def build(config):
    base = GPT2(config)
    width = config["n_embd"]
    head = head_of(config, "LMHeadModel")
    if head == "Model":
        return base
    if head == "ForSequenceClassification":
        return SequenceClassifier(config, width, base, "transformer")
    if head == "ForTokenClassification":
        return TokenClassifier(config, width, base, "transformer", "classifier")
    if head == "ForQuestionAnswering":
        return QuestionAnswerer(config, width, base, "transformer")
    tied = "transformer.wte.weight" if config.get("tie_word_embeddings", True) else None
    return LanguageModel(width, config["vocab_size"], base, "transformer", "lm_head", tied)


def example_inputs(config):
    return (example_ids(config["vocab_size"], min(8, config["n_positions"])),)
