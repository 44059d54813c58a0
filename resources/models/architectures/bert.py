# SPDX-License-Identifier: Apache-2.0
"""BERT (Devlin et al., 2018)."""

from torch import nn

from architectures.common import activation, example_texts, head_of, label_count, linear
from architectures.encoder import Model, MultipleChoice, Vocabulary, WithHead, simple_head, tied_vocabulary


class Transform(nn.Module):
    def __init__(self, config, width):
        super().__init__()
        self.dense = linear(config["hidden_size"], width)
        self.act = activation(config.get("hidden_act", "gelu"))
        self.LayerNorm = nn.LayerNorm(width, config.get("layer_norm_eps", 1e-12))

    def forward(self, x):
        return self.LayerNorm(self.act(self.dense(x)))


class Heads(nn.Module):
    def __init__(self, config, predicts, has_next):
        super().__init__()
        if predicts:
            width = config["hidden_size"]
            self.predictions = Vocabulary("transform", Transform(config, width), width, config["vocab_size"])
        if has_next:
            self.seq_relationship = linear(config["hidden_size"], 2)


def build(config):
    head = head_of(config, "Model")
    has_pooler = (config.get("add_pooling_layer", True)
                  and head not in ("ForMaskedLM", "ForTokenClassification", "ForQuestionAnswering", "LMHeadModel",
                               "ForCausalLM"))
    base = Model(config, "bert", None, has_pooler)
    simple = simple_head(config, head, "bert", base)
    if simple is not None:
        return simple
    if head == "ForSequenceClassification":
        return WithHead("bert", base, {"classifier": linear(config["hidden_size"], label_count(config))},
                        lambda model, out: model.classifier(out[1]))
    if head == "ForMultipleChoice":
        return MultipleChoice("bert", base, {"classifier": linear(config["hidden_size"], 1)},
                              lambda model, out: model.classifier(out[1]))
    if head == "ForNextSentencePrediction":
        return WithHead("bert", base, {"cls": Heads(config, False, True)},
                        lambda model, out: model.cls.seq_relationship(out[1]))
    if head not in ("ForMaskedLM", "ForPreTraining", "LMHeadModel", "ForCausalLM"):
        return base
    has_next = head == "ForPreTraining"
    heads = Heads(config, True, has_next)
    if has_next:
        model = WithHead("bert", base, {"cls": heads},
                         lambda model, out: (model.cls.predictions(out[0]), model.cls.seq_relationship(out[1])))
    else:
        model = WithHead("bert", base, {"cls": heads}, lambda model, out: model.cls.predictions(out))
    model.tied_weights = tied_vocabulary(config, "cls.predictions", "bert.embeddings.word_embeddings.weight")
    return model


def example_inputs(config):
    return (example_texts(config),)
