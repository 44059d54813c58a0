# SPDX-License-Identifier: Apache-2.0
"""The half of CLIP that sees pictures."""

from architectures.clip import ProjectedPicture, VisionModel, vision_defaults
from architectures.common import head_of
from architectures.vit import example_picture


def build(config):
    vision = vision_defaults(config)
    if head_of(config, "Model") == "ModelWithProjection":
        return ProjectedPicture(vision)
    model = VisionModel(vision)
    model.base_model_prefix = "vision_model"
    return model


def example_inputs(config):
    return (example_picture(vision_defaults(config)),)
