# SPDX-License-Identifier: Apache-2.0
"""The decoder of Llama and its relatives: rotary positions, RMSNorm before each part, gated MLP. What a model does
otherwise, its own file says in its Layout."""

import torch
from torch import nn

from architectures.common import (RMSNorm, activation, attention, causal_mask, embedding, example_ids, extend, head_of,
                                  label_count, last_token, linear, past_length, positions_after, split_heads,
                                  two_way_mask)
from architectures.rotary import RotaryEmbedding, rope_settings, rotate


class Layout:
    """Which of the family it is. Fields have Llama's values; a model's file sets others."""

    def __init__(self, config):
        self.config = config
        self.vocabulary = config["vocab_size"]
        self.width = config["hidden_size"]
        self.inner = config["intermediate_size"]
        self.layers = config["num_hidden_layers"]
        self.heads = config["num_attention_heads"]
        self.key_heads = config.get("num_key_value_heads") or self.heads
        self.head_width = config.get("head_dim") or self.width // self.heads
        self.eps = config.get("rms_norm_eps", 1e-6)
        self.activation = config.get("hidden_act", "silu")
        self.scaling = self.head_width ** -0.5
        self.qkv_bias = False
        self.out_bias = False
        self.mlp_bias = False
        self.norm = RMSNorm
        self.norms_heads = False  # queries and keys, each head
        self.norms_results = False  # also what attention and MLP give
        self.rotate = rotate
        self.embedding_scale = None
        self.score_cap = None
        self.logit_cap = None
        self.logit_scale = None
        self.window = None
        self.is_causal = True
        self.zeroes_blind = True  # see attention()
        self.turns_part = False  # partial_rotary_factor counts for plain rotary positions too
        self.layer_types = ["full_attention"] * self.layers
        self.rope = {"full_attention": rope_settings(config)}
        self.mlp = GatedMLP
        self.ties_embeddings = config.get("tie_word_embeddings", False)

    def mlp_of(self, index):
        """The MLP of the layer of this number."""
        return self.mlp(self)

    def turns(self, index):
        """Whether the layer of this number knows positions."""
        return True

    def rotary_width(self, kind):
        """How much of each head is turned."""
        rope = self.rope[kind]
        if rope["rope_type"] == "default" and not self.turns_part:
            return self.head_width
        return int(self.head_width * rope["partial_rotary_factor"])

    def slides_everywhere(self):
        """A window that all layers have."""
        self.window = self.config.get("sliding_window")
        if self.window is not None:
            self.layer_types = ["sliding_attention"] * self.layers
            self.rope["sliding_attention"] = self.rope["full_attention"]


class Attention(nn.Module):
    def __init__(self, layout, index):
        super().__init__()
        self.layout = layout
        width, heads, keys = layout.width, layout.heads * layout.head_width, layout.key_heads * layout.head_width
        self.q_proj = linear(width, heads, layout.qkv_bias)
        self.k_proj = linear(width, keys, layout.qkv_bias)
        self.v_proj = linear(width, keys, layout.qkv_bias)
        self.o_proj = linear(heads, width, layout.out_bias)
        self.turns = layout.turns(index)
        if layout.norms_heads:
            self.q_norm = layout.norm(layout.head_width, layout.eps)
            self.k_norm = layout.norm(layout.head_width, layout.eps)

    def project(self, x):
        layout = self.layout
        return (split_heads(self.q_proj(x), layout.heads), split_heads(self.k_proj(x), layout.key_heads),
                split_heads(self.v_proj(x), layout.key_heads))

    def forward(self, x, rotary, mask, past):
        layout = self.layout
        query, key, value = self.project(x)
        if layout.norms_heads:
            query, key = self.q_norm(query), self.k_norm(key)
        if self.turns:
            query, key = layout.rotate(query, *rotary), layout.rotate(key, *rotary)
        key, value = extend(past, key, value)
        mixed = attention(query, key, value, layout.scaling, mask, layout.score_cap, layout.zeroes_blind)
        return self.o_proj(mixed), (key, value)


class GatedMLP(nn.Module):
    def __init__(self, layout, inner=None):
        super().__init__()
        inner = layout.inner if inner is None else inner
        self.gate_proj = linear(layout.width, inner, layout.mlp_bias)
        self.up_proj = linear(layout.width, inner, layout.mlp_bias)
        self.down_proj = linear(inner, layout.width, layout.mlp_bias)
        self.act_fn = activation(layout.activation)

    def forward(self, x):
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


class DecoderLayer(nn.Module):
    attention_class = Attention

    def __init__(self, layout, index):
        super().__init__()
        self.norms_results = layout.norms_results
        self.self_attn = self.attention_class(layout, index)
        self.mlp = layout.mlp_of(index)
        self.input_layernorm = layout.norm(layout.width, layout.eps)
        self.post_attention_layernorm = layout.norm(layout.width, layout.eps)
        if layout.norms_results:
            self.pre_feedforward_layernorm = layout.norm(layout.width, layout.eps)
            self.post_feedforward_layernorm = layout.norm(layout.width, layout.eps)

    def forward(self, x, rotary, mask, past):
        mixed, cache = self.self_attn(self.input_layernorm(x), rotary, mask, past)
        if self.norms_results:
            x = x + self.post_attention_layernorm(mixed)
            return x + self.post_feedforward_layernorm(self.mlp(self.pre_feedforward_layernorm(x))), cache
        x = x + mixed
        return x + self.mlp(self.post_attention_layernorm(x)), cache


class Decoder(nn.Module):
    layer_class = DecoderLayer

    def __init__(self, layout):
        super().__init__()
        self.layout = layout
        self.embed_tokens = embedding(layout.vocabulary, layout.width)
        self.layers = nn.ModuleList([self.layer_class(layout, i) for i in range(layout.layers)])
        self.norm = layout.norm(layout.width, layout.eps)
        kinds = sorted(set(layout.layer_types))
        share = all(layout.rope[kind] == layout.rope[kinds[0]] for kind in kinds)
        self.rotary_emb = nn.ModuleDict(
            {kind: RotaryEmbedding(layout.rope[kind], layout.rotary_width(kind))
             for kind in (kinds[:1] if share else kinds)})

    def embed(self, input_ids):
        x = self.embed_tokens(input_ids)
        if self.layout.embedding_scale is not None:
            x = x * torch.tensor(self.layout.embedding_scale, dtype=x.dtype, device=x.device)
        return x

    def mask(self, x, held, attention_mask, window, blocks):
        if self.layout.is_causal:
            return causal_mask(x, held, attention_mask, window, blocks)
        return two_way_mask(x, attention_mask, window)

    def run_layers(self, x, attention_mask, position_ids, past, blocks=None):
        layout = self.layout
        held = past_length(past)
        if position_ids is None:
            position_ids = positions_after(x, held)
        kinds = sorted(set(layout.layer_types))
        rotary = {kind: part(x, position_ids) for kind, part in self.rotary_emb.items()}
        if len(rotary) < len(kinds):
            rotary = {kind: rotary[kinds[0]] for kind in kinds}
        masks = {kind: self.mask(x, held, attention_mask, layout.window if kind == "sliding_attention" else None, blocks)
                 for kind in kinds}
        cache = []
        for i, layer in enumerate(self.layers):
            kind = layout.layer_types[i]
            x, kept = layer(x, rotary[kind], masks[kind], None if past is None else past[i])
            cache.append(kept)
        return self.norm(x), tuple(cache)

    def forward(self, input_ids, attention_mask=None, position_ids=None, past_key_values=None, use_cache=False):
        x, cache = self.run_layers(self.embed(input_ids), attention_mask, position_ids, past_key_values)
        return (x, cache) if use_cache else x


class CausalLM(nn.Module):
    base_model_prefix = "model"

    def __init__(self, layout, decoder):
        super().__init__()
        self.layout = layout
        self.model = decoder
        self.lm_head = linear(layout.width, layout.vocabulary, False)
        self.tied_weights = {"lm_head.weight": "model.embed_tokens.weight"} if layout.ties_embeddings else {}

    def forward(self, input_ids, attention_mask=None, position_ids=None, past_key_values=None, use_cache=False):
        x, cache = self.model(input_ids, attention_mask, position_ids, past_key_values, True)
        logits = self.lm_head(x)
        if self.layout.logit_scale is not None:
            logits = logits * self.layout.logit_scale
        if self.layout.logit_cap is not None:
            logits = torch.tanh(logits / self.layout.logit_cap) * self.layout.logit_cap
        return (logits, cache) if use_cache else logits


class SequenceClassifier(nn.Module):
    """Scores of the last token that is no padding."""
    base_model_prefix = "model"

    def __init__(self, config, width, base, prefix="model"):
        super().__init__()
        self.base_model_prefix = prefix
        setattr(self, prefix, base)
        self.pad = config.get("pad_token_id")
        self.score = linear(width, label_count(config), False)

    def forward(self, input_ids, attention_mask=None, position_ids=None):
        x = getattr(self, self.base_model_prefix)(input_ids, attention_mask, position_ids)
        return last_token(self.score(x), input_ids, self.pad)


class TokenClassifier(nn.Module):
    def __init__(self, config, width, base, prefix="model", name="score"):
        super().__init__()
        self.base_model_prefix = prefix
        self.head_name = name
        setattr(self, prefix, base)
        setattr(self, name, linear(width, label_count(config)))

    def forward(self, input_ids, attention_mask=None, position_ids=None):
        x = getattr(self, self.base_model_prefix)(input_ids, attention_mask, position_ids)
        return getattr(self, self.head_name)(x)


class QuestionAnswerer(nn.Module):
    def __init__(self, config, width, base, prefix="transformer"):
        super().__init__()
        self.base_model_prefix = prefix
        setattr(self, prefix, base)
        self.qa_outputs = linear(width, 2)

    def forward(self, input_ids, attention_mask=None, position_ids=None):
        x = getattr(self, self.base_model_prefix)(input_ids, attention_mask, position_ids)
        logits = self.qa_outputs(x)
        return logits[..., 0], logits[..., 1]


def with_head(config, layout, decoder):
    head = head_of(config, "ForCausalLM")
    if head in ("Model", "TextModel"):
        return decoder
    if head == "ForSequenceClassification":
        return SequenceClassifier(config, layout.width, decoder)
    if head == "ForTokenClassification":
        return TokenClassifier(config, layout.width, decoder)
    if head == "ForQuestionAnswering":
        keeps_older_name = config["model_type"] in ("llama", "qwen2", "qwen3")
        return QuestionAnswerer(config, layout.width, decoder, "transformer" if keeps_older_name else "model")
    return CausalLM(layout, decoder)


def build_decoder(layout):
    return with_head(layout.config, layout, Decoder(layout))


def example_inputs(config):
    return (example_ids(config["vocab_size"]),)
