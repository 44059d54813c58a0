# SPDX-License-Identifier: Apache-2.0
"""The encoder of BERT and RoBERTa: learned positions, a norm after each part."""

import torch
import torch.nn.functional as F
from torch import nn

from architectures.common import (activation, attention, causal_mask, embedding, label_count, linear, padding_mask,
                                  placeholder, split_heads)


class SelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config["hidden_size"]
        self.heads = config["num_attention_heads"]
        self.query = linear(width, width)
        self.key = linear(width, width)
        self.value = linear(width, width)

    def forward(self, x, mask):
        query, key, value = (split_heads(part(x), self.heads) for part in (self.query, self.key, self.value))
        return attention(query, key, value, query.shape[-1] ** -0.5, mask)


class Result(nn.Module):
    """A linear layer, added to what came in, and a norm of the sum."""

    def __init__(self, config, inputs):
        super().__init__()
        self.dense = linear(inputs, config["hidden_size"])
        self.LayerNorm = nn.LayerNorm(config["hidden_size"], config.get("layer_norm_eps", 1e-12))

    def forward(self, x, before):
        return self.LayerNorm(self.dense(x) + before)


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.self = SelfAttention(config)
        self.output = Result(config, config["hidden_size"])

    def forward(self, x, mask):
        return self.output(self.self(x, mask), x)


class Intermediate(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = linear(config["hidden_size"], config["intermediate_size"])
        self.act = activation(config.get("hidden_act", "gelu"))

    def forward(self, x):
        return self.act(self.dense(x))


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention = Attention(config)
        self.intermediate = Intermediate(config)
        self.output = Result(config, config["intermediate_size"])

    def forward(self, x, mask):
        x = self.attention(x, mask)
        return self.output(self.intermediate(x), x)


class Encoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.layer = nn.ModuleList([Layer(config) for _ in range(config["num_hidden_layers"])])

    def forward(self, x, mask):
        for layer in self.layer:
            x = layer(x, mask)
        return x


class Embeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config["hidden_size"]
        self.word_embeddings = embedding(config["vocab_size"], width)
        self.position_embeddings = embedding(config["max_position_embeddings"], width)
        self.token_type_embeddings = embedding(config.get("type_vocab_size", 2), width)
        self.LayerNorm = nn.LayerNorm(width, config.get("layer_norm_eps", 1e-12))

    def forward(self, input_ids, token_type_ids, position_ids):
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        x = self.word_embeddings(input_ids) + self.token_type_embeddings(token_type_ids)
        return self.LayerNorm(x + self.position_embeddings(position_ids))


class Pooler(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.dense = linear(width, width)

    def forward(self, x):
        return torch.tanh(self.dense(x[:, 0]))


class Model(nn.Module):
    """Gives the last hidden states, with a pooler also what it makes of the first token."""

    def __init__(self, config, prefix, pad=None, has_pooler=True):
        super().__init__()
        self.base_model_prefix = prefix
        self.pad = pad  # positions are counted from behind it, and padding has none; None: from 0
        self.embeddings = Embeddings(config)
        self.encoder = Encoder(config)
        self.is_causal = config.get("is_decoder", False)
        self.has_pooler = has_pooler
        if has_pooler:
            self.pooler = Pooler(config["hidden_size"])
            self.optional = {"pooler": "has_pooler"}

    def positions(self, input_ids):
        if self.pad is None:
            return torch.arange(input_ids.shape[1], device=input_ids.device)[None]
        is_token = (input_ids != self.pad).to(torch.long)
        return torch.cumsum(is_token, dim=1) * is_token + self.pad

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, position_ids=None):
        if position_ids is None:
            position_ids = self.positions(input_ids)
        x = self.embeddings(input_ids, token_type_ids, position_ids)
        if self.is_causal:
            mask = causal_mask(x, 0, attention_mask)
        else:
            mask = padding_mask(attention_mask, x.dtype)
        x = self.encoder(x, mask)
        return (x, self.pooler(x)) if self.has_pooler else x


class WithHead(nn.Module):
    """The base model under its name, and modules that the head has beside it."""

    def __init__(self, prefix, base, parts, head):
        super().__init__()
        self.base_model_prefix = prefix
        setattr(self, prefix, base)
        for name, part in parts.items():
            setattr(self, name, part)
        self.head = head

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, position_ids=None):
        base = getattr(self, self.base_model_prefix)
        return self.head(self, base(input_ids, attention_mask, token_type_ids, position_ids))


class MultipleChoice(WithHead):
    """Scores of each choice, [batch, choices]. input_ids: [batch, choices, length]."""

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, position_ids=None):
        flat = [None if each is None else each.reshape(-1, each.shape[-1])
                for each in (input_ids, attention_mask, token_type_ids, position_ids)]
        return super().forward(*flat).view(-1, input_ids.shape[1])


class Vocabulary(nn.Module):
    """Logits of tokens, of what `transform` makes of a state. A file has the bias under both names."""

    def __init__(self, transform_name, transform, width, count):
        super().__init__()
        self.transform_name = transform_name
        setattr(self, transform_name, transform)
        self.decoder = linear(width, count)
        self.bias = placeholder(count)

    def forward(self, x):
        return self.decoder(getattr(self, self.transform_name)(x))


def tied_vocabulary(config, head, table):
    """What is one where the file has it once: the layer's weight and the table of tokens, its bias and the head's."""
    tied = {head + ".decoder.bias": head + ".bias"}
    if config.get("tie_word_embeddings", True):
        tied[head + ".decoder.weight"] = table
    return tied


def token_head(model, x):
    return model.classifier(x)


def question_head(model, x):
    logits = model.qa_outputs(x)
    return logits[..., 0], logits[..., 1]


def simple_head(config, head, prefix, base):
    """Heads of one layer on every token; None for another."""
    width = config["hidden_size"]
    if head == "ForTokenClassification":
        return WithHead(prefix, base, {"classifier": linear(width, label_count(config))}, token_head)
    if head == "ForQuestionAnswering":
        return WithHead(prefix, base, {"qa_outputs": linear(width, label_count(config))}, question_head)
    return None
