# SPDX-License-Identifier: Apache-2.0
"""The half of SigLIP that reads texts."""

from architectures.common import example_ids
from architectures.siglip import TextModel, with_defaults


def build(config):
    model = TextModel(with_defaults(config))
    model.base_model_prefix = "text_model"
    return model


def example_inputs(config):
    text = with_defaults(config)
    return (example_ids(text["vocab_size"], min(8, text["max_position_embeddings"])),)
