# SPDX-License-Identifier: Apache-2.0
"""The half of CLIP that reads texts, as picture generators have it."""

from architectures.clip import ProjectedText, TextModel, example_ids_of, text_defaults
from architectures.common import head_of


def build(config):
    text = text_defaults(config)
    if head_of(config, "Model") == "ModelWithProjection":
        return ProjectedText(text)
    model = TextModel(text)
    model.base_model_prefix = "text_model"
    return model


def example_inputs(config):
    return (example_ids_of(config),)
