# SPDX-License-Identifier: Apache-2.0
"""XLM-RoBERTa (Conneau et al., 2019): RoBERTa with another vocabulary."""

from architectures import roberta
from architectures.roberta import example_inputs


def build(config):
    return roberta.build(config)
