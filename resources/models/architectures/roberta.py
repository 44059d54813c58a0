# SPDX-License-Identifier: Apache-2.0
"""RoBERTa (Liu et al., 2019): BERT whose positions begin behind the padding token."""

import torch
import torch.nn.functional as F
from torch import nn

from architectures.common import example_ids, head_of, label_count, linear, placeholder
from architectures.encoder import Model, WithHead, simple_head


class LMHead(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = linear(config["hidden_size"], config["hidden_size"])
        self.layer_norm = nn.LayerNorm(config["hidden_size"], config.get("layer_norm_eps", 1e-12))
        self.decoder = linear(config["hidden_size"], config["vocab_size"], False)
        self.bias = placeholder(config["vocab_size"])

    def forward(self, x):
        return self.decoder(self.layer_norm(F.gelu(self.dense(x)))) + self.bias


class ClassificationHead(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = linear(config["hidden_size"], config["hidden_size"])
        self.out_proj = linear(config["hidden_size"], label_count(config))

    def forward(self, x):
        return self.out_proj(torch.tanh(self.dense(x[:, 0])))


def build(config):
    head = head_of(config, "Model")
    pad = config.get("pad_token_id")
    base = Model(config, "roberta", 1 if pad is None else pad, head == "Model")
    simple = simple_head(config, head, "roberta", base)
    if simple is not None:
        return simple
    if head == "ForSequenceClassification":
        return WithHead("roberta", base, {"classifier": ClassificationHead(config)},
                        lambda model, x: model.classifier(x))
    if head != "ForMaskedLM":
        return base
    model = WithHead("roberta", base, {"lm_head": LMHead(config)}, lambda model, x: model.lm_head(x))
    model.tied_weights = {"lm_head.decoder.weight": "roberta.embeddings.word_embeddings.weight"}
    return model


def example_inputs(config):
    return (example_ids(config["vocab_size"]),)
