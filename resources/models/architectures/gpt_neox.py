# SPDX-License-Identifier: Apache-2.0
"""GPT-NeoX and Pythia (Black et al., 2022): attention and MLP side by side, rotary positions in a part of each head."""

from torch import nn

from architectures.common import (activation, attention, causal_mask, embedding, example_ids, extend, head_of, linear,
                                  past_length, positions_after)
from architectures.decoder import QuestionAnswerer, SequenceClassifier, TokenClassifier
from architectures.gpt2 import LanguageModel
from architectures.rotary import RotaryEmbedding, rope_settings, rotate


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config["hidden_size"]
        self.heads = config["num_attention_heads"]
        self.head_width = width // self.heads
        has_bias = config.get("attention_bias", True)
        self.query_key_value = linear(width, 3 * width, has_bias)
        self.dense = linear(width, width, has_bias)

    def forward(self, x, rotary, mask, past):
        # Each head has its query, key and value together.
        joined = self.query_key_value(x).view(x.shape[0], x.shape[1], self.heads, 3 * self.head_width).transpose(1, 2)
        query, key, value = joined.chunk(3, dim=-1)
        query, key = rotate(query, *rotary), rotate(key, *rotary)
        key, value = extend(past, key, value)
        return self.dense(attention(query, key, value, self.head_width ** -0.5, mask)), (key, value)


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense_h_to_4h = linear(config["hidden_size"], config["intermediate_size"])
        self.dense_4h_to_h = linear(config["intermediate_size"], config["hidden_size"])
        self.act = activation(config.get("hidden_act", "gelu"))

    def forward(self, x):
        return self.dense_4h_to_h(self.act(self.dense_h_to_4h(x)))


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        eps = config.get("layer_norm_eps", 1e-5)
        self.is_parallel = config.get("use_parallel_residual", True)
        self.input_layernorm = nn.LayerNorm(config["hidden_size"], eps)
        self.post_attention_layernorm = nn.LayerNorm(config["hidden_size"], eps)
        self.attention = Attention(config)
        self.mlp = MLP(config)

    def forward(self, x, rotary, mask, past):
        mixed, cache = self.attention(self.input_layernorm(x), rotary, mask, past)
        if self.is_parallel:
            return x + mixed + self.mlp(self.post_attention_layernorm(x)), cache
        x = x + mixed
        return x + self.mlp(self.post_attention_layernorm(x)), cache


class GPTNeoX(nn.Module):
    base_model_prefix = "gpt_neox"

    def __init__(self, config):
        super().__init__()
        width = config["hidden_size"]
        self.embed_in = embedding(config["vocab_size"], width)
        self.layers = nn.ModuleList([Layer(config) for _ in range(config["num_hidden_layers"])])
        self.final_layer_norm = nn.LayerNorm(width, config.get("layer_norm_eps", 1e-5))
        settings = rope_settings(config)
        if (config.get("rope_parameters") or {}).get("partial_rotary_factor") is None:
            settings["partial_rotary_factor"] = config.get("rotary_pct") or 0.25
        self.rotary_emb = RotaryEmbedding(
            settings, int(width // config["num_attention_heads"] * settings["partial_rotary_factor"]))

    def forward(self, input_ids, attention_mask=None, position_ids=None, past_key_values=None, use_cache=False):
        x = self.embed_in(input_ids)
        held = past_length(past_key_values)
        if position_ids is None:
            position_ids = positions_after(x, held)
        rotary = self.rotary_emb(x, position_ids)
        mask = causal_mask(x, held, attention_mask)
        cache = []
        for i, layer in enumerate(self.layers):
            x, kept = layer(x, rotary, mask, None if past_key_values is None else past_key_values[i])
            cache.append(kept)
        x = self.final_layer_norm(x)
        return (x, tuple(cache)) if use_cache else x


def build(config):
    base = GPTNeoX(config)
    width = config["hidden_size"]
    head = head_of(config, "ForCausalLM")
    if head == "Model":
        return base
    if head == "ForSequenceClassification":
        return SequenceClassifier(config, width, base, "gpt_neox")
    if head == "ForTokenClassification":
        return TokenClassifier(config, width, base, "gpt_neox", "classifier")
    if head == "ForQuestionAnswering":
        return QuestionAnswerer(config, width, base, "gpt_neox")
    tied = "gpt_neox.embed_in.weight" if config.get("tie_word_embeddings", False) else None
    return LanguageModel(width, config["vocab_size"], base, "gpt_neox", "embed_out", tied)


def example_inputs(config):
    return (example_ids(config["vocab_size"]),)
