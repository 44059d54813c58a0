# SPDX-License-Identifier: Apache-2.0
"""Falcon (2023): one key and value for all heads or for groups of them, attention and MLP side by side."""

import math

import torch
from torch import nn

from architectures.common import (activation, attention, causal_mask, embedding, example_ids, extend, head_of, linear,
                                  past_length, positions_after)
from architectures.decoder import QuestionAnswerer, SequenceClassifier, TokenClassifier
from architectures.gpt2 import LanguageModel
from architectures.rotary import RotaryEmbedding, rope_settings, rotate


def alibi_slopes(heads):
    """Press et al., 2021."""
    whole = 2 ** math.floor(math.log2(heads))
    slopes = [(2 ** (-(2 ** -(math.log2(whole) - 3)))) ** power for power in range(1, whole + 1)]
    if whole != heads:
        base = 2 ** (-(2 ** -(math.log2(2 * whole) - 3)))
        slopes += [base ** power for power in range(1, 1 + 2 * min(whole, heads - whole), 2)]
    return torch.tensor(slopes, dtype=torch.float32)


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config["hidden_size"]
        self.heads = config["num_attention_heads"]
        self.head_width = width // self.heads
        self.is_grouped = config.get("new_decoder_architecture", False)
        self.shares_one = config.get("multi_query", True) and not self.is_grouped
        self.key_heads = 1 if self.shares_one else self.heads
        if self.is_grouped:
            self.key_heads = config.get("num_kv_heads") or self.heads
        has_bias = config.get("bias", False)
        self.query_key_value = linear(width, (self.heads + 2 * self.key_heads) * self.head_width, has_bias)
        self.dense = linear(width, width, has_bias)

    def split(self, x):
        """Query, key and value, [batch, heads, length, width]. In the file each key head follows the queries that it
        serves, and its value follows it."""
        served = self.heads // self.key_heads
        joined = self.query_key_value(x).view(x.shape[0], x.shape[1], self.key_heads, served + 2, self.head_width)
        query = joined[:, :, :, :served].reshape(x.shape[0], x.shape[1], self.heads, self.head_width)
        return query.transpose(1, 2), joined[:, :, :, served].transpose(1, 2), joined[:, :, :, served + 1].transpose(1, 2)

    def forward(self, x, rotary, mask, past):
        query, key, value = self.split(x)
        if rotary is not None:
            query, key = rotate(query, *rotary), rotate(key, *rotary)
        key, value = extend(past, key, value)
        return self.dense(attention(query, key, value, self.head_width ** -0.5, mask,
                                    zeroes_blind=rotary is not None)), (key, value)


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, has_bias = config["hidden_size"], config.get("bias", False)
        inner = config.get("ffn_hidden_size") or 4 * width
        self.dense_h_to_4h = linear(width, inner, has_bias)
        self.act = activation(config.get("activation") or "gelu")
        self.dense_4h_to_h = linear(inner, width, has_bias)

    def forward(self, x):
        return self.dense_4h_to_h(self.act(self.dense_h_to_4h(x)))


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, eps = config["hidden_size"], config.get("layer_norm_epsilon", 1e-5)
        self.is_grouped = config.get("new_decoder_architecture", False)
        self.is_parallel = config.get("parallel_attn", True)
        norms = config.get("num_ln_in_parallel_attn")
        if norms is None:
            norms = 2 if self.is_grouped else 1
        self.has_two = self.is_parallel and norms == 2
        self.self_attention = Attention(config)
        self.mlp = MLP(config)
        if self.has_two:
            self.ln_attn = nn.LayerNorm(width, eps)
            self.ln_mlp = nn.LayerNorm(width, eps)
        else:
            self.input_layernorm = nn.LayerNorm(width, eps)
            if not self.is_parallel:
                self.post_attention_layernorm = nn.LayerNorm(width, eps)

    def forward(self, x, rotary, mask, past):
        normed = self.ln_attn(x) if self.has_two else self.input_layernorm(x)
        mixed, cache = self.self_attention(normed, rotary, mask, past)
        if not self.is_parallel:
            x = x + mixed
            return x + self.mlp(self.post_attention_layernorm(x)), cache
        return x + mixed + self.mlp(self.ln_mlp(x) if self.has_two else normed), cache


class Falcon(nn.Module):
    base_model_prefix = "transformer"

    def __init__(self, config):
        super().__init__()
        width, heads = config["hidden_size"], config["num_attention_heads"]
        self.heads = heads
        self.head_width = width // heads
        self.word_embeddings = embedding(config["vocab_size"], width)
        self.h = nn.ModuleList([Layer(config) for _ in range(config["num_hidden_layers"])])
        self.ln_f = nn.LayerNorm(width, config.get("layer_norm_epsilon", 1e-5))
        self.has_alibi = config.get("alibi", False)
        if not self.has_alibi:
            self.rotary_emb = RotaryEmbedding(rope_settings(config), self.head_width)

    def alibi(self, x, keys, attention_mask):
        """What is added to scores: farther keys count less, in bfloat16 as the model was trained."""
        if attention_mask is None:
            at = torch.arange(keys, device=x.device)[None]
        else:
            shown = attention_mask.to(torch.long)
            at = (torch.cumsum(shown, dim=-1) - 1) * shown
        slopes = alibi_slopes(self.heads).to(x.device).to(torch.bfloat16)
        bias = slopes[None, :, None] * at[:, None, :]
        return (bias.to(x.dtype) * self.head_width ** -0.5)[:, :, None, :]

    def forward(self, input_ids, attention_mask=None, position_ids=None, past_key_values=None, use_cache=False):
        x = self.word_embeddings(input_ids)
        held = past_length(past_key_values)
        if position_ids is None:
            position_ids = positions_after(x, held)
        mask = causal_mask(x, held, attention_mask)
        rotary = None
        if self.has_alibi:
            bias = self.alibi(x, held + x.shape[1], attention_mask)
            mask = bias if mask is None else torch.maximum(bias + mask, torch.tensor(torch.finfo(x.dtype).min))
        else:
            rotary = self.rotary_emb(x, position_ids)
        cache = []
        for i, layer in enumerate(self.h):
            x, kept = layer(x, rotary, mask, None if past_key_values is None else past_key_values[i])
            cache.append(kept)
        x = self.ln_f(x)
        return (x, tuple(cache)) if use_cache else x


def build(config):
    base = Falcon(config)
    width = config["hidden_size"]
    head = head_of(config, "ForCausalLM")
    if head == "Model":
        return base
    if head == "ForSequenceClassification":
        return SequenceClassifier(config, width, base, "transformer")
    if head == "ForTokenClassification":
        return TokenClassifier(config, width, base, "transformer", "classifier")
    if head == "ForQuestionAnswering":
        return QuestionAnswerer(config, width, base, "transformer")
    tied = "transformer.word_embeddings.weight" if config.get("tie_word_embeddings", True) else None
    return LanguageModel(width, config["vocab_size"], base, "transformer", "lm_head", tied)


def example_inputs(config):
    return (example_ids(config["vocab_size"]),)
