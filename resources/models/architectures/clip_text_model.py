# SPDX-License-Identifier: Apache-2.0
"""The half of CLIP that reads texts, as picture generators have it."""

from architectures.clip import Projected, TextModel, example_ids_of, text_defaults
from architectures.common import head_of


def build(config):
    text = text_defaults(config)
    if head_of(config, "Model") == "ModelWithProjection":
        return Projected("text_model", TextModel(text), "text_projection", text["hidden_size"], text["projection_dim"])
    model = TextModel(text)
    model.base_model_prefix = "text_model"
    return model


def example_inputs(config):
    return (example_ids_of(config),)
