# SPDX-License-Identifier: Apache-2.0
"""mT5 (Xue et al., 2020): T5 with another vocabulary."""

from architectures import t5
from architectures.t5 import example_inputs


def build(config):
    return t5.build({"feed_forward_proj": "gated-gelu", "scale_decoder_outputs": False, **config})
