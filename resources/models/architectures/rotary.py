# SPDX-License-Identifier: Apache-2.0
"""Rotary position embeddings (Su et al., 2021) and the ways to stretch them to longer texts."""

import math

import torch
from torch import nn


def rope_settings(config, default_theta=10000.0, layer_type=None):
    """`rope_parameters` of transformers 5, or `rope_theta` and `rope_scaling` of those before, as one dict."""
    given = _settings_of(config, "rope_parameters")
    if layer_type is not None and layer_type in given:
        given = _settings_of(given, layer_type)
    out = {**_settings_of(config, "rope_scaling"), **given}
    out["rope_type"] = out.get("rope_type") or out.get("type") or "default"
    if not isinstance(out["rope_type"], str):
        raise ValueError(f"rope_type is {out['rope_type']!r}, no name")
    if out.get("rope_theta") is None:
        theta = config.get("rope_theta") or config.get("rotary_emb_base")
        out["rope_theta"] = default_theta if theta is None else theta
    if out.get("partial_rotary_factor") is None:
        out["partial_rotary_factor"] = config.get("partial_rotary_factor") or config.get("rotary_pct") or 1.0
    longest = config.get("max_position_embeddings") or 2048
    # Some configs have it beside the settings.
    if out.get("original_max_position_embeddings") is None:
        out["original_max_position_embeddings"] = config.get("original_max_position_embeddings") or longest
    out["max_position_embeddings"] = longest
    for name in ("rope_theta", "factor", "original_max_position_embeddings", "max_position_embeddings"):
        value = out.get(name)
        if value is not None and not (_is_number(value) and 0 < value < math.inf):
            raise ValueError(f"{name} of rotary positions is {value!r}, no number above 0")
    for name in NEEDED.get(out["rope_type"], ()):
        if out.get(name) is None:
            raise ValueError(f"rotary positions of kind {out['rope_type']!r} have no {name}")
    return out


# What a kind of rotary positions cannot do without.
NEEDED = {"linear": ("factor",), "dynamic": ("factor",), "llama3": ("factor", "low_freq_factor", "high_freq_factor"),
          "longrope": ("short_factor", "long_factor"), "su": ("short_factor", "long_factor")}


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _settings_of(config, name):
    found = config.get(name)
    if found is not None and not isinstance(found, dict):
        raise ValueError(f"{name} is {found!r}, no settings")
    return found or {}


def _powers(base, width):
    return base ** (torch.arange(0, width, 2, dtype=torch.float32) / width)


def _llama3(settings, width):
    frequencies = 1.0 / _powers(settings["rope_theta"], width)
    factor = settings["factor"]
    low, high = settings["low_freq_factor"], settings["high_freq_factor"]
    original = settings["original_max_position_embeddings"]
    lengths = 2 * math.pi / frequencies
    smooth = (original / lengths - low) / (high - low)
    blended = (1 - smooth) * frequencies / factor + smooth * frequencies
    stretched = torch.where(lengths > original / low, frequencies / factor, frequencies)
    is_between = torch.logical_and(lengths >= original / high, lengths <= original / low)
    return torch.where(is_between, blended, stretched)


def yarn_scale(factor, amount=1.0):
    return 1.0 if factor <= 1 else 0.1 * amount * math.log(factor) + 1.0


def _yarn(settings, width):
    """Peng et al., 2023."""
    base = settings["rope_theta"]
    original = settings["original_max_position_embeddings"]
    factor = settings.get("factor")
    if factor is None:
        factor = settings["max_position_embeddings"] / original
    scale = settings.get("attention_factor")
    if scale is None:
        amount, amount_all = settings.get("mscale"), settings.get("mscale_all_dim")
        if amount and amount_all:
            scale = yarn_scale(factor, amount) / yarn_scale(factor, amount_all)
        else:
            scale = yarn_scale(factor)

    def dimension(rotations):
        return width * math.log(original / (rotations * 2 * math.pi)) / (2 * math.log(base))

    low, high = dimension(settings.get("beta_fast") or 32), dimension(settings.get("beta_slow") or 1)
    if settings.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, width - 1)
    if low == high:
        high += 0.001
    ramp = torch.clamp((torch.arange(width // 2, dtype=torch.float32) - low) / (high - low), 0, 1)
    powers = _powers(base, width)
    return 1.0 / (factor * powers) * ramp + 1.0 / powers * (1 - ramp), scale


def _long_scale(settings):
    scale = settings.get("attention_factor")
    if scale is not None:
        return scale
    original = settings["original_max_position_embeddings"]
    factor = settings.get("factor")
    if factor is None:
        factor = settings["max_position_embeddings"] / original
    return 1.0 if factor <= 1 else math.sqrt(1 + math.log(factor) / math.log(original))


class RotaryEmbedding(nn.Module):
    """cos and sin for positions, [batch, length, width] each. Only `dynamic` and `longrope` look at how long the text
    is."""

    def __init__(self, settings, width):
        super().__init__()
        self.settings = settings
        self.kind = settings["rope_type"]
        self.width = width
        self.scale = 1.0
        base = settings["rope_theta"]
        if self.kind in ("default", "dynamic", "mrope"):
            frequencies = 1.0 / _powers(base, width)
        elif self.kind == "linear":
            frequencies = 1.0 / _powers(base, width) / settings["factor"]
        elif self.kind == "llama3":
            frequencies = _llama3(settings, width)
        elif self.kind == "yarn":
            frequencies, self.scale = _yarn(settings, width)
        elif self.kind in ("longrope", "su"):
            frequencies = 1.0 / (torch.tensor(settings["short_factor"], dtype=torch.float32) * _powers(base, width))
            self.scale = _long_scale(settings)
        else:
            raise ValueError(f"config.json has an unknown kind of rotary embedding: {self.kind!r}")
        self.register_buffer("inv_freq", frequencies, persistent=False)

    def frequencies_for(self, positions):
        settings = self.settings
        if self.kind == "dynamic":
            longest = settings["max_position_embeddings"]
            length = int(positions.max()) + 1
            if length <= longest:
                return self.inv_freq
            stretch = settings["factor"] * length / longest - (settings["factor"] - 1)
            base = settings["rope_theta"] * stretch ** (self.width / (self.width - 2))
            return (1.0 / _powers(base, self.width)).to(positions.device)
        if self.kind in ("longrope", "su"):
            if int(positions.max()) + 1 <= settings["original_max_position_embeddings"]:
                return self.inv_freq
            factors = torch.tensor(settings["long_factor"], dtype=torch.float32)
            return (1.0 / (factors * _powers(settings["rope_theta"], self.width))).to(positions.device)
        return self.inv_freq

    def forward(self, x, positions):
        angles = positions[..., None].to(torch.float32) * self.frequencies_for(positions)
        angles = torch.cat((angles, angles), dim=-1)
        return (angles.cos() * self.scale).to(x.dtype), (angles.sin() * self.scale).to(x.dtype)


def rotate(x, cos, sin):
    """x: [batch, heads, length, width]. Where cos is narrower, the end of each head stays."""
    cos, sin = cos[:, None], sin[:, None]
    width = cos.shape[-1]
    turned = x[..., :width]
    first, second = turned.chunk(2, dim=-1)
    turned = turned * cos + torch.cat((-second, first), dim=-1) * sin
    return turned if width == x.shape[-1] else torch.cat((turned, x[..., width:]), dim=-1)


def rotate_pairs(x, cos, sin):
    """The same where neighbours turn together, as DeepSeek, GLM and Cohere have it."""
    half = cos.shape[-1] // 2
    cos, sin = cos[:, None, :, :half], sin[:, None, :, :half]
    pairs = x[..., :2 * half].reshape(x.shape[:-1] + (half, 2))
    first, second = pairs[..., 0], pairs[..., 1]
    turned = torch.stack((first * cos - second * sin, first * sin + second * cos), dim=-1)
    turned = turned.reshape(x.shape[:-1] + (2 * half,))
    return turned if 2 * half == x.shape[-1] else torch.cat((turned, x[..., 2 * half:]), dim=-1)
