# SPDX-License-Identifier: Apache-2.0
"""RoBERTa (Liu et al., 2019): BERT whose positions begin behind the padding token."""

import torch
import torch.nn.functional as F
from torch import nn

from architectures.common import example_texts, head_of, label_count, linear, placeholder
from architectures.encoder import Model, MultipleChoice, WithHead, simple_head, tied_vocabulary


class LMHead(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, count = config["hidden_size"], config["vocab_size"]
        self.dense = linear(width, width)
        self.layer_norm = nn.LayerNorm(width, config.get("layer_norm_eps", 1e-12))
        self.decoder = linear(width, count)
        self.bias = placeholder(count)  # the layer's, by the name that files have it by

    def forward(self, x):
        return self.decoder(self.layer_norm(F.gelu(self.dense(x))))


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
    base = Model(config, "roberta", 1 if pad is None else pad, head in ("Model", "ForMultipleChoice"))
    simple = simple_head(config, head, "roberta", base)
    if simple is not None:
        return simple
    if head == "ForSequenceClassification":
        return WithHead("roberta", base, {"classifier": ClassificationHead(config)},
                        lambda model, x: model.classifier(x))
    if head == "ForMultipleChoice":
        return MultipleChoice("roberta", base, {"classifier": linear(config["hidden_size"], 1)},
                              lambda model, out: model.classifier(out[1]))
    if head not in ("ForMaskedLM", "ForCausalLM", "LMHeadModel"):
        return base
    model = WithHead("roberta", base, {"lm_head": LMHead(config)}, lambda model, x: model.lm_head(x))
    model.tied_weights = tied_vocabulary(config, "lm_head", "roberta.embeddings.word_embeddings.weight")
    return model


def example_inputs(config):
    return (example_texts(config),)
