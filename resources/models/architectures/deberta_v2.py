# SPDX-License-Identifier: Apache-2.0
"""DeBERTa v2 and v3 (He et al., 2020): scores are sums of what contents and relative positions say of each other."""

import math

import torch
from torch import nn

from architectures.bert import Transform
from architectures.common import activation, embedding, example_texts, head_of, label_count, linear, placeholder, split_heads
from architectures.encoder import Intermediate, Result, Vocabulary, tied_vocabulary


def log_bucket(distance, buckets, farthest):
    """Near distances are their own bucket, farther ones share them logarithmically, up to buckets - 1."""
    middle = buckets // 2
    size = torch.where(distance.abs() < middle, torch.full_like(distance, middle - 1), distance.abs())
    far = torch.ceil(torch.log(size / middle) / math.log((farthest - 1) / middle) * (middle - 1)) + middle
    return torch.where(size <= middle, distance.to(far.dtype), far * torch.sign(distance)).to(torch.long)


class SelfAttention(nn.Module):
    def __init__(self, config, span):
        super().__init__()
        width = config["hidden_size"]
        self.heads = config["num_attention_heads"]
        inner = self.heads * (config.get("attention_head_size") or width // self.heads)
        self.query_proj = linear(width, inner)
        self.key_proj = linear(width, inner)
        self.value_proj = linear(width, inner)
        self.span = span
        kinds = config.get("pos_att_type") or []
        kinds = kinds.lower().split("|") if isinstance(kinds, str) else kinds
        self.kinds = [kind.strip() for kind in kinds]
        self.is_relative = config.get("relative_attention", False)
        self.shares_key = config.get("share_att_key", False)
        if self.is_relative and not self.shares_key:
            if "c2p" in self.kinds:
                self.pos_key_proj = linear(width, inner)
            if "p2c" in self.kinds:
                self.pos_query_proj = linear(width, inner)

    def forward(self, x, hidden, distances, positions):
        query, key, value = (split_heads(part(x), self.heads)
                             for part in (self.query_proj, self.key_proj, self.value_proj))
        parts = 1 + ("c2p" in self.kinds) + ("p2c" in self.kinds)
        scale = (query.shape[-1] * parts) ** -0.5
        scores = torch.matmul(query, key.transpose(2, 3)) * scale
        if self.is_relative:
            shape = (x.shape[0], self.heads, x.shape[1], x.shape[1])
            if "c2p" in self.kinds:
                project = self.key_proj if self.shares_key else self.pos_key_proj
                of_positions = split_heads(project(positions[None]), self.heads)
                found = torch.matmul(query, of_positions.transpose(2, 3))
                at = torch.clamp(distances + self.span, 0, 2 * self.span - 1)
                scores = scores + torch.gather(found, 3, at.expand(shape)) * scale
            if "p2c" in self.kinds:
                project = self.query_proj if self.shares_key else self.pos_query_proj
                of_positions = split_heads(project(positions[None]), self.heads)
                found = torch.matmul(key, of_positions.transpose(2, 3))
                at = torch.clamp(-distances + self.span, 0, 2 * self.span - 1)
                scores = scores + torch.gather(found, 3, at.expand(shape)).transpose(2, 3) * scale
        if hidden is not None:
            scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        mixed = torch.matmul(torch.softmax(scores, dim=-1), value)
        return mixed.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1)


class Attention(nn.Module):
    def __init__(self, config, span):
        super().__init__()
        self.self = SelfAttention(config, span)
        self.output = Result(config, config["hidden_size"])

    def forward(self, x, hidden, distances, positions):
        return self.output(self.self(x, hidden, distances, positions), x)


class Layer(nn.Module):
    def __init__(self, config, span):
        super().__init__()
        self.attention = Attention(config, span)
        self.intermediate = Intermediate(config)
        self.output = Result(config, config["intermediate_size"])

    def forward(self, x, hidden, distances, positions):
        x = self.attention(x, hidden, distances, positions)
        return self.output(self.intermediate(x), x)


class Convolution(nn.Module):
    """What neighbours say, added to the first layer's result."""

    def __init__(self, config):
        super().__init__()
        size, groups = config.get("conv_kernel_size", 3), config.get("conv_groups", 1)
        self.conv = nn.Conv1d(config["hidden_size"], config["hidden_size"], size, padding=(size - 1) // 2, groups=groups)
        self.LayerNorm = nn.LayerNorm(config["hidden_size"], config.get("layer_norm_eps", 1e-7))
        self.act = activation(config.get("conv_act", "tanh"))

    def forward(self, x, result, attention_mask):
        mixed = self.conv(x.permute(0, 2, 1)).permute(0, 2, 1)
        if attention_mask is None:
            return self.LayerNorm(result + self.act(mixed))
        shown = attention_mask[:, :, None].to(x.dtype)
        return self.LayerNorm(result + self.act(mixed * shown)) * shown


class Encoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.buckets = config.get("position_buckets", -1)
        farthest = config.get("max_relative_positions", -1)
        self.farthest = farthest if farthest >= 1 else config.get("max_position_embeddings", 512)
        span = self.buckets if self.buckets > 0 else self.farthest
        self.layer = nn.ModuleList([Layer(config, span) for _ in range(config["num_hidden_layers"])])
        self.is_relative = config.get("relative_attention", False)
        if self.is_relative:
            self.rel_embeddings = embedding(2 * span, config["hidden_size"])
        self.norms_positions = "layer_norm" in (config.get("norm_rel_ebd") or "none").lower()
        if self.norms_positions:
            self.LayerNorm = nn.LayerNorm(config["hidden_size"], config.get("layer_norm_eps", 1e-7))
        self.has_conv = config.get("conv_kernel_size", 0) > 0
        if self.has_conv:
            self.conv = Convolution(config)

    def forward(self, x, attention_mask):
        hidden = None
        if attention_mask is not None:
            shown = attention_mask.to(torch.bool)
            hidden = torch.logical_not(torch.logical_and(shown[:, None, None, :], shown[:, None, :, None]))
        distances = positions = None
        if self.is_relative:
            at = torch.arange(x.shape[1], device=x.device)
            distances = at[:, None] - at[None, :]
            if self.buckets > 0:
                distances = log_bucket(distances, self.buckets, self.farthest)
            positions = self.rel_embeddings.weight
            if self.norms_positions:
                positions = self.LayerNorm(positions)
        before = x
        for i, layer in enumerate(self.layer):
            x = layer(x, hidden, distances, positions)
            if i == 0 and self.has_conv:
                x = self.conv(before, x, attention_mask)
        return x


class Embeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config["hidden_size"]
        inner = config.get("embedding_size") or width
        self.word_embeddings = embedding(config["vocab_size"], inner)
        self.has_positions = config.get("position_biased_input", True)
        if self.has_positions:
            self.position_embeddings = embedding(config.get("max_position_embeddings", 512), inner)
        self.has_types = config.get("type_vocab_size", 0) > 0
        if self.has_types:
            self.token_type_embeddings = embedding(config["type_vocab_size"], inner)
        self.projects = inner != width
        if self.projects:
            self.embed_proj = linear(inner, width, False)
        self.LayerNorm = nn.LayerNorm(width, config.get("layer_norm_eps", 1e-7))

    def forward(self, input_ids, token_type_ids, attention_mask):
        x = self.word_embeddings(input_ids)
        if self.has_positions:
            x = x + self.position_embeddings.weight[:input_ids.shape[1]]
        if self.has_types:
            x = x + self.token_type_embeddings(torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids)
        if self.projects:
            x = self.embed_proj(x)
        x = self.LayerNorm(x)
        return x if attention_mask is None else x * attention_mask[:, :, None].to(x.dtype)


class Deberta(nn.Module):
    base_model_prefix = "deberta"

    def __init__(self, config):
        super().__init__()
        self.embeddings = Embeddings(config)
        self.encoder = Encoder(config)

    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        return self.encoder(self.embeddings(input_ids, token_type_ids, attention_mask), attention_mask)


class OwnTransform(nn.Module):
    """The head of files that are not "legacy": its product is with the table of tokens itself."""

    def __init__(self, config):
        super().__init__()
        width = config["hidden_size"]
        self.dense = linear(width, width)
        self.act = activation(config.get("hidden_act", "gelu"))
        self.LayerNorm = nn.LayerNorm(width, config["layer_norm_eps"])
        self.bias = placeholder(config["vocab_size"])

    def forward(self, x, table):
        return torch.matmul(self.LayerNorm(self.act(self.dense(x))), table.t()) + self.bias


class MaskedLM(nn.Module):
    base_model_prefix = "deberta"

    def __init__(self, config):
        super().__init__()
        self.deberta = Deberta(config)
        self.is_legacy = config.get("legacy", True)
        if self.is_legacy:
            width = config.get("embedding_size") or config["hidden_size"]
            self.cls = nn.ModuleDict(
                {"predictions": Vocabulary("transform", Transform(config, width), width, config["vocab_size"])})
            self.tied_weights = tied_vocabulary(config, "cls.predictions", "deberta.embeddings.word_embeddings.weight")
        else:
            self.lm_predictions = nn.ModuleDict({"lm_head": OwnTransform(config)})

    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        x = self.deberta(input_ids, attention_mask, token_type_ids)
        if self.is_legacy:
            return self.cls["predictions"](x)
        return self.lm_predictions["lm_head"](x, self.deberta.embeddings.word_embeddings.weight)


class Pooler(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config.get("pooler_hidden_size") or config["hidden_size"]
        self.dense = linear(width, width)
        self.act = activation(config.get("pooler_hidden_act", "gelu"))

    def forward(self, x):
        return self.act(self.dense(x[:, 0]))


class SequenceClassifier(nn.Module):
    base_model_prefix = "deberta"

    def __init__(self, config, labels):
        super().__init__()
        self.deberta = Deberta(config)
        self.pooler = Pooler(config)
        self.classifier = linear(config.get("pooler_hidden_size") or config["hidden_size"], labels)

    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        return self.classifier(self.pooler(self.deberta(input_ids, attention_mask, token_type_ids)))


class MultipleChoice(SequenceClassifier):
    """Scores of each choice, [batch, choices]. input_ids: [batch, choices, length]."""

    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        flat = [None if each is None else each.reshape(-1, each.shape[-1])
                for each in (input_ids, attention_mask, token_type_ids)]
        return super().forward(*flat).view(-1, input_ids.shape[1])


class TokenHead(nn.Module):
    base_model_prefix = "deberta"

    def __init__(self, config, name):
        super().__init__()
        self.deberta = Deberta(config)
        self.head_name = name
        setattr(self, name, linear(config["hidden_size"], label_count(config)))

    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        logits = getattr(self, self.head_name)(self.deberta(input_ids, attention_mask, token_type_ids))
        return (logits[..., 0], logits[..., 1]) if self.head_name == "qa_outputs" else logits


def build(config):
    # Norms of encoder.py have BERT's default.
    config = {"layer_norm_eps": 1e-7, **config}
    head = head_of(config, "Model")
    if head == "ForMaskedLM":
        return MaskedLM(config)
    if head == "ForSequenceClassification":
        return SequenceClassifier(config, label_count(config))
    if head == "ForMultipleChoice":
        return MultipleChoice(config, 1)
    if head == "ForTokenClassification":
        return TokenHead(config, "classifier")
    if head == "ForQuestionAnswering":
        return TokenHead(config, "qa_outputs")
    return Deberta(config)


def example_inputs(config):
    return (example_texts(config),)
