# SPDX-License-Identifier: Apache-2.0
"""DistilBERT (Sanh et al., 2019): BERT with half its layers, and no kinds of tokens."""

import torch
import torch.nn.functional as F
from torch import nn

from architectures.common import (activation, attention, embedding, example_texts, head_of, label_count, linear,
                                  padding_mask, split_heads)


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads = config["n_heads"]
        width = config["dim"]
        self.q_lin = linear(width, width)
        self.k_lin = linear(width, width)
        self.v_lin = linear(width, width)
        self.out_lin = linear(width, width)

    def forward(self, x, mask):
        query, key, value = (split_heads(part(x), self.heads) for part in (self.q_lin, self.k_lin, self.v_lin))
        return self.out_lin(attention(query, key, value, query.shape[-1] ** -0.5, mask))


class FFN(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.lin1 = linear(config["dim"], config["hidden_dim"])
        self.lin2 = linear(config["hidden_dim"], config["dim"])
        self.act = activation(config.get("activation", "gelu"))

    def forward(self, x):
        return self.lin2(self.act(self.lin1(x)))


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention = Attention(config)
        self.sa_layer_norm = nn.LayerNorm(config["dim"], 1e-12)
        self.ffn = FFN(config)
        self.output_layer_norm = nn.LayerNorm(config["dim"], 1e-12)

    def forward(self, x, mask):
        x = self.sa_layer_norm(self.attention(x, mask) + x)
        return self.output_layer_norm(self.ffn(x) + x)


class Transformer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.layer = nn.ModuleList([Layer(config) for _ in range(config["n_layers"])])

    def forward(self, x, mask):
        for layer in self.layer:
            x = layer(x, mask)
        return x


class Embeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.word_embeddings = embedding(config["vocab_size"], config["dim"])
        self.position_embeddings = embedding(config["max_position_embeddings"], config["dim"])
        self.LayerNorm = nn.LayerNorm(config["dim"], 1e-12)

    def forward(self, input_ids):
        positions = torch.arange(input_ids.shape[1], device=input_ids.device)[None]
        return self.LayerNorm(self.word_embeddings(input_ids) + self.position_embeddings(positions))


class DistilBert(nn.Module):
    base_model_prefix = "distilbert"

    def __init__(self, config):
        super().__init__()
        self.embeddings = Embeddings(config)
        self.transformer = Transformer(config)

    def forward(self, input_ids, attention_mask=None):
        x = self.embeddings(input_ids)
        return self.transformer(x, padding_mask(attention_mask, x.dtype))


class MaskedLM(nn.Module):
    base_model_prefix = "distilbert"

    def __init__(self, config):
        super().__init__()
        self.distilbert = DistilBert(config)
        self.act = activation(config.get("activation", "gelu"))
        self.vocab_transform = linear(config["dim"], config["dim"])
        self.vocab_layer_norm = nn.LayerNorm(config["dim"], 1e-12)
        self.vocab_projector = linear(config["dim"], config["vocab_size"])
        self.tied_weights = {"vocab_projector.weight": "distilbert.embeddings.word_embeddings.weight"}

    def forward(self, input_ids, attention_mask=None):
        x = self.act(self.vocab_transform(self.distilbert(input_ids, attention_mask)))
        return self.vocab_projector(self.vocab_layer_norm(x))


class SequenceClassifier(nn.Module):
    base_model_prefix = "distilbert"

    def __init__(self, config, labels):
        super().__init__()
        self.distilbert = DistilBert(config)
        self.pre_classifier = linear(config["dim"], config["dim"])
        self.classifier = linear(config["dim"], labels)

    def forward(self, input_ids, attention_mask=None):
        x = self.distilbert(input_ids, attention_mask)
        return self.classifier(F.relu(self.pre_classifier(x[:, 0])))


class MultipleChoice(SequenceClassifier):
    """Scores of each choice, [batch, choices]. input_ids: [batch, choices, length]."""

    def forward(self, input_ids, attention_mask=None):
        flat = [None if each is None else each.reshape(-1, each.shape[-1]) for each in (input_ids, attention_mask)]
        return super().forward(*flat).view(-1, input_ids.shape[1])


class TokenHead(nn.Module):
    base_model_prefix = "distilbert"

    def __init__(self, config, name):
        super().__init__()
        self.distilbert = DistilBert(config)
        self.head_name = name
        setattr(self, name, linear(config["dim"], 2 if name == "qa_outputs" else label_count(config)))

    def forward(self, input_ids, attention_mask=None):
        logits = getattr(self, self.head_name)(self.distilbert(input_ids, attention_mask))
        return (logits[..., 0], logits[..., 1]) if self.head_name == "qa_outputs" else logits


def build(config):
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
    return DistilBert(config)


def example_inputs(config):
    return (example_texts(config),)
