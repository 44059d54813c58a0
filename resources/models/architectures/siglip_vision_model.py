# SPDX-License-Identifier: Apache-2.0
"""The half of SigLIP that sees pictures."""

from architectures.siglip import VisionModel, with_defaults
from architectures.vit import example_picture


def build(config):
    model = VisionModel(with_defaults(config))
    model.base_model_prefix = "vision_model"
    return model


def example_inputs(config):
    return (example_picture(with_defaults(config)),)
