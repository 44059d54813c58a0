# SPDX-License-Identifier: Apache-2.0
"""T5 (Raffel et al., 2019): an encoder and a decoder whose positions are biases of the scores."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from architectures.common import (RMSNorm, activation, attention, causal_mask, embedding, example_ids, extend, head_of,
                                  label_count, linear, padding_mask, past_length, split_heads)


def bucket(distance, both_ways, buckets, farthest):
    """Half of the buckets are single distances, the others grow logarithmically. distance: of key from query."""
    offset = torch.zeros_like(distance)
    if both_ways:
        buckets //= 2
        offset = (distance > 0).to(torch.long) * buckets
        distance = distance.abs()
    else:
        distance = -torch.clamp(distance, max=0)
    exact = buckets // 2
    far = torch.log(torch.clamp(distance, min=1).to(torch.float32) / exact) / math.log(farthest / exact)
    far = torch.clamp(exact + (far * (buckets - exact)).to(torch.long), max=buckets - 1)
    return offset + torch.where(distance < exact, distance, far)


class Attention(nn.Module):
    def __init__(self, config, has_bias, both_ways):
        super().__init__()
        inner = config["num_heads"] * config["d_kv"]
        self.heads = config["num_heads"]
        self.both_ways = both_ways
        self.buckets = config.get("relative_attention_num_buckets", 32)
        self.farthest = config.get("relative_attention_max_distance", 128)
        self.q = linear(config["d_model"], inner, False)
        self.k = linear(config["d_model"], inner, False)
        self.v = linear(config["d_model"], inner, False)
        self.o = linear(inner, config["d_model"], False)
        if has_bias:
            self.relative_attention_bias = embedding(self.buckets, self.heads)

    def position_bias(self, past, queries, device):
        """Of the positions behind `past`: [1, heads, queries, past + queries]."""
        at = torch.arange(past, past + queries, device=device)[:, None]
        of = torch.arange(past + queries, device=device)[None, :]
        values = self.relative_attention_bias(bucket(of - at, self.both_ways, self.buckets, self.farthest))
        return values.permute(2, 0, 1)[None]

    def keys_and_values(self, of):
        return split_heads(self.k(of), self.heads), split_heads(self.v(of), self.heads)

    def forward(self, x, key, value, mask):
        return self.o(attention(split_heads(self.q(x), self.heads), key, value, 1.0, mask))


class SelfLayer(nn.Module):
    def __init__(self, config, has_bias, both_ways):
        super().__init__()
        self.SelfAttention = Attention(config, has_bias, both_ways)
        self.layer_norm = RMSNorm(config["d_model"], config.get("layer_norm_epsilon", 1e-6))

    def forward(self, x, mask, past):
        normed = self.layer_norm(x)
        kept = extend(past, *self.SelfAttention.keys_and_values(normed))
        return x + self.SelfAttention(normed, *kept, mask), kept


class CrossLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.EncDecAttention = Attention(config, False, True)
        self.layer_norm = RMSNorm(config["d_model"], config.get("layer_norm_epsilon", 1e-6))

    def forward(self, x, encoded, mask, past):
        kept = self.EncDecAttention.keys_and_values(encoded) if past is None else past
        return x + self.EncDecAttention(self.layer_norm(x), *kept, mask), kept


class Dense(nn.Module):
    def __init__(self, config):
        super().__init__()
        kind = config.get("feed_forward_proj", "relu")
        self.is_gated = kind.startswith("gated-")
        name = config.get("dense_act_fn") or kind.split("-")[-1]
        self.act = activation("gelu_new" if kind == "gated-gelu" else name)
        if self.is_gated:
            self.wi_0 = linear(config["d_model"], config["d_ff"], False)
            self.wi_1 = linear(config["d_model"], config["d_ff"], False)
        else:
            self.wi = linear(config["d_model"], config["d_ff"], False)
        self.wo = linear(config["d_ff"], config["d_model"], False)

    def forward(self, x):
        return self.wo(self.act(self.wi_0(x)) * self.wi_1(x) if self.is_gated else self.act(self.wi(x)))


class DenseLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.DenseReluDense = Dense(config)
        self.layer_norm = RMSNorm(config["d_model"], config.get("layer_norm_epsilon", 1e-6))

    def forward(self, x):
        return x + self.DenseReluDense(self.layer_norm(x))


class Block(nn.Module):
    def __init__(self, config, index, is_decoder):
        super().__init__()
        parts = [SelfLayer(config, index == 0, not is_decoder)]
        if is_decoder:
            parts.append(CrossLayer(config))
        self.layer = nn.ModuleList(parts + [DenseLayer(config)])

    def forward(self, x, mask, encoded, encoded_mask, past):
        x, kept = self.layer[0](x, mask, past[:2] if past else None)
        if len(self.layer) > 2:
            x, crossed = self.layer[1](x, encoded, encoded_mask, past[2:] if past else None)
            kept = kept + crossed
        return self.layer[-1](x), kept


class Stack(nn.Module):
    def __init__(self, config, is_decoder):
        super().__init__()
        layers = config["num_layers"]
        if is_decoder:
            layers = config.get("num_decoder_layers") or layers
        self.is_decoder = is_decoder
        self.block = nn.ModuleList([Block(config, i, is_decoder) for i in range(layers)])
        self.final_layer_norm = RMSNorm(config["d_model"], config.get("layer_norm_epsilon", 1e-6))

    def forward(self, x, attention_mask, encoded=None, encoded_mask=None, past=None):
        """encoded, which a cache stands in for, and encoded_mask: what the encoder gives and its attention_mask.
        The result, and of each layer (key, value), of a decoder followed by those of the encoder's result."""
        held = past_length(past)
        # The first layer's biases serve all.
        bias = self.block[0].layer[0].SelfAttention.position_bias(held, x.shape[1], x.device)
        mask = causal_mask(x, held, attention_mask) if self.is_decoder else padding_mask(attention_mask, x.dtype)
        mask = bias if mask is None else bias + mask
        encoded_mask = padding_mask(encoded_mask, x.dtype)
        cache = []
        for i, block in enumerate(self.block):
            x, kept = block(x, mask, encoded, encoded_mask, past[i] if past else None)
            cache.append(kept)
        return self.final_layer_norm(x), tuple(cache)


class T5Encoder(nn.Module):
    base_model_prefix = ""

    def __init__(self, config):
        super().__init__()
        self.shared = embedding(config["vocab_size"], config["d_model"])
        self.encoder = Stack(config, False)

    def forward(self, input_ids, attention_mask=None):
        return self.encoder(self.shared(input_ids), attention_mask)[0]


class T5(nn.Module):
    base_model_prefix = ""

    def __init__(self, config, has_head):
        super().__init__()
        width = config["d_model"]
        self.shared = embedding(config["vocab_size"], width)
        self.encoder = Stack(config, False)
        self.decoder = Stack(config, True)
        self.has_head = has_head
        self.scale = 1.0
        if has_head:
            self.lm_head = linear(width, config["vocab_size"], False)
            self.tied_weights = {"lm_head.weight": "shared.weight"}
            if config.get("scale_decoder_outputs", config.get("tie_word_embeddings", True)):
                self.scale = width ** -0.5

    def forward(self, input_ids, attention_mask=None, decoder_input_ids=None, decoder_attention_mask=None,
                past_key_values=None, use_cache=False):
        """With a cache the encoder does not run: its keys and values are there."""
        encoded = None
        if not past_key_values:
            encoded = self.encoder(self.shared(input_ids), attention_mask)[0]
        x, cache = self.decoder(self.shared(decoder_input_ids), decoder_attention_mask, encoded, attention_mask,
                                past_key_values)
        if self.has_head:
            x = self.lm_head(x * self.scale)
        return (x, cache) if use_cache else x


class TokenClassifier(nn.Module):
    base_model_prefix = "transformer"

    def __init__(self, config):
        super().__init__()
        self.transformer = T5Encoder(config)
        self.classifier = linear(config["d_model"], label_count(config))

    def forward(self, input_ids, attention_mask=None):
        return self.classifier(self.transformer(input_ids, attention_mask))


def begun(input_ids, config):
    """What the decoder reads where a head needs it to repeat the text."""
    first = torch.full((input_ids.shape[0], 1), config.get("decoder_start_token_id") or 0, device=input_ids.device)
    return torch.cat((first, input_ids[:, :-1]), dim=1)


class ClassificationHead(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = linear(config["d_model"], config["d_model"])
        self.out_proj = linear(config["d_model"], label_count(config))

    def forward(self, x):
        return self.out_proj(torch.tanh(self.dense(x)))


class SequenceClassifier(nn.Module):
    """Scores of what the decoder makes of the token that ends each text."""
    base_model_prefix = "transformer"

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.transformer = T5(config, False)
        self.classification_head = ClassificationHead(config)

    def forward(self, input_ids, attention_mask=None, decoder_input_ids=None, decoder_attention_mask=None):
        if decoder_input_ids is None:
            decoder_input_ids = begun(input_ids, self.config)
        x = self.transformer(input_ids, attention_mask, decoder_input_ids, decoder_attention_mask)
        places = torch.arange(input_ids.shape[1], device=input_ids.device)
        ends = (places * (input_ids == self.config.get("eos_token_id", 1)).to(torch.long)).argmax(dim=-1)
        return self.classification_head(x[torch.arange(x.shape[0], device=x.device), ends])


class QuestionAnswerer(T5):
    def __init__(self, config):
        super().__init__(config, False)
        self.config = config
        self.qa_outputs = linear(config["d_model"], 2)

    def forward(self, input_ids, attention_mask=None, decoder_input_ids=None, decoder_attention_mask=None):
        if decoder_input_ids is None:
            decoder_input_ids = begun(input_ids, self.config)
        logits = self.qa_outputs(super().forward(input_ids, attention_mask, decoder_input_ids, decoder_attention_mask))
        return logits[..., 0], logits[..., 1]


def build(config):
    head = head_of(config, "ForConditionalGeneration")
    if head in ("EncoderModel", "ForTokenClassification"):
        return T5Encoder(config) if head == "EncoderModel" else TokenClassifier(config)
    if head == "ForSequenceClassification":
        return SequenceClassifier(config)
    if head == "ForQuestionAnswering":
        return QuestionAnswerer(config)
    return T5(config, head != "Model")


def example_inputs(config):
    ids = example_ids(config["vocab_size"])
    head = head_of(config, "ForConditionalGeneration")
    if head in ("EncoderModel", "ForTokenClassification"):
        return (ids,)
    if head == "ForSequenceClassification":
        return (torch.cat((ids, torch.full((1, 1), config.get("eos_token_id", 1))), dim=1),)
    start = config.get("decoder_start_token_id") or 0
    return ids, None, torch.cat((torch.full((1, 1), start), ids[:, :4]), dim=1)
