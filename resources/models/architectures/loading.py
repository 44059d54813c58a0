# SPDX-License-Identifier: Apache-2.0
"""Weights of a folder into the model of its config, without a copy."""

import torch
from torch import nn

from architectures.scaled import EIGHT_BITS, blocks_of, scale_layers

# What older versions saved besides: computed from the config here.
COMPUTED = (".attn.bias", ".attn.masked_bias", ".attention.bias", ".attention.masked_bias", ".rotary_emb.inv_freq",
            "position_ids", ".embeddings.token_type_ids", "rotary_emb.cos_cached", "rotary_emb.sin_cached",
            "embed_positions.weights", "predictions.decoder.bias", "lm_head.decoder.bias",
            "encoder.embed_tokens.weight", "decoder.embed_tokens.weight")

LAYER_COUNTS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_decoder_layers", "encoder_layers",
                "decoder_layers", "num_local_experts", "num_experts", "n_routed_experts")


def is_computed(name):
    return any(name == end.lstrip(".") or name.endswith(end) for end in COMPUTED)


def modern_name(name):
    """TensorFlow's names of norms, which the first checkpoints have."""
    if name.endswith(".gamma"):
        return name[:-5] + "weight"
    if name.endswith("LayerNorm.beta"):
        return name[:-4] + "bias"
    return name


def renamed(name, names):
    """Beginnings that files have otherwise than the model."""
    for old, new in names.items():
        if name.startswith(old):
            return new + name[len(old):]
    return name


def fitting_name(name, wanted, prefix):
    """The model's name for one of the file: saved with another head, names have the base model's prefix or lack it."""
    if name in wanted:
        return name
    if prefix and prefix + "." + name in wanted:
        return prefix + "." + name
    if prefix and name.startswith(prefix + ".") and name[len(prefix) + 1:] in wanted:
        return name[len(prefix) + 1:]
    first = name.find(".")
    # The base model alone, of a file with a head.
    if not prefix and first > 0 and name[first + 1:] in wanted:
        return name[first + 1:]
    return name


def size_text(shape):
    return "x".join(str(size) for size in shape) if len(shape) > 0 else "scalar"


def owner_of(model, name):
    parts = name.split(".")
    for part in parts[:-1]:
        model = getattr(model, part)
    return model, parts[-1]


def check_counts(config, most):
    """A config may say any number of layers; none can be made of nothing."""
    for key, value in config.items():
        if isinstance(value, dict):
            check_counts(value, most)
        elif key in LAYER_COUNTS and isinstance(value, int) and not 0 <= value <= most:
            raise ValueError(f"{key} is {value}, and there are {most} weights")


# How settings that are numbers end.
NUMBERS = ("_eps", "_epsilon", "_theta", "_factor", "_size", "_heads", "_layers", "_layer", "_head", "_dim", "_dims",
           "_ff", "_kv", "_model", "_embd", "_positions", "position_embeddings", "sliding_window")


# And those that count something, of which some are at least one.
COUNTS = ("_size", "_heads", "_dim", "_dims", "_model", "_embd")
NEVER_ZERO = ("hidden_size", "d_model", "n_embd", "vocab_size", "num_attention_heads", "num_heads", "n_head", "n_heads",
              "num_key_value_heads", "encoder_attention_heads", "decoder_attention_heads")


def check_numbers(config):
    for key, value in config.items():
        if isinstance(value, dict):
            check_numbers(value)
        if key.endswith(NUMBERS) and isinstance(value, (str, dict)):
            raise ValueError(f"{key} is {value!r}, no number")
        if key in NEVER_ZERO and isinstance(value, list):
            raise ValueError(f"{key} is a list, no number")
        if key in NEVER_ZERO and isinstance(value, (bool, float)):
            raise ValueError(f"{key} is {value!r}, no count")
        if key.endswith(COUNTS) and isinstance(value, int) and value < (1 if key in NEVER_ZERO else 0):
            raise ValueError(f"{key} is {value}")


def check_architectures(config):
    names = config.get("architectures")
    if names is not None and not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise ValueError(f"architectures is {names!r}, no list of names")


# Settings that are a dimension of some weight, or a part of one; so is whatever ends in _dim or _rank.
WIDTHS = ("hidden_size", "d_model", "d_kv", "n_embd", "intermediate_size", "ffn_hidden_size", "d_ff")


# So much may be made of a width before weights are looked at, also of one that no weight has.
HARMLESS_WIDTH = 4096


def check_widths(config, widest):
    """What is computed from a width, as the frequencies of rotary positions, is made before weights are looked at."""
    widest = max(widest, HARMLESS_WIDTH)
    for key, value in config.items():
        if isinstance(value, dict):
            check_widths(value, widest)
        elif (key in WIDTHS or key.endswith(("_dim", "_rank"))) and isinstance(value, int) and value > widest:
            raise ValueError(f"{key} is {value}, and no weight has more than {widest} rows or columns")


def drop_optional(model, weights):
    """Parts that a model runs without, of which the file has nothing."""
    for part, flag in getattr(model, "optional", {}).items():
        if not any(part in name.split(".") for name in weights):
            delattr(model, part)
            setattr(model, flag, False)


def likeliest(build, config, weights):
    """The config with the class that the weights fit best, where it names none."""
    def misfits(head):
        model, missing, extra, wrong = fit(build({**config, "architectures": [head]}), weights, False)
        return len(missing) + len(wrong) + len(extra)

    # Causal heads first: of those that fit alike, the one that gives logits of tokens.
    best = min(("ForCausalLM", "ForMaskedLM", "ForConditionalGeneration", "ForImageClassification",
                "ForTokenClassification", "ForQuestionAnswering", "ForSequenceClassification", "Model"), key=misfits)
    return {**config, "architectures": [best]}


def quantization(config):
    """Of quantization_config what quant_method it names; None where there is none."""
    found = config.get("quantization_config")
    if found is None:
        return None
    if not isinstance(found, dict) or not isinstance(found.get("quant_method"), str):
        raise ValueError("quantization_config names no quant_method")
    return found["quant_method"]


def open_model(build, config, weights):
    """The model, the names that the file lacks, those that the model does not have, lines for why it is not run, the
    config that was built, and what is to be said of its weights."""
    method = quantization(config)
    if method not in (None, "fp8"):
        return None, [], [], [f"weights quantised by {method!r} are shown, and not run"], config, ""
    check_counts(config, len(weights))
    check_numbers(config)
    check_architectures(config)
    check_widths(config, max((size for tensor in weights.values() for size in tensor.shape), default=0))
    if not config.get("architectures"):
        config = likeliest(build, config, weights)
    blocks = blocks_of(config["quantization_config"]) if method == "fp8" else None
    scaled = sum(1 for tensor in weights.values() if tensor.dtype in EIGHT_BITS) if method == "fp8" else 0
    note = f"{scaled} weights in 8 bits, each multiplied by its scales when it is used" if scaled > 0 else ""
    return fit(build(config), weights, True, blocks, scaled > 0) + (config, note)


def fit(model, weights, loads, blocks=None, has_scales=False):
    drop_optional(model, weights)
    wanted = model.state_dict()
    prefix = getattr(model, "base_model_prefix", "")
    tied = getattr(model, "tied_weights", {})
    names = getattr(model, "renamed", {})
    if has_scales:
        in_eight = [fitting_name(renamed(name, names), wanted, prefix)
                    for name, tensor in weights.items() if tensor.dtype in EIGHT_BITS]
        scale_layers(model, [name for name in in_eight if name in wanted], blocks)
        wanted = model.state_dict()
    given = {}
    extra = []
    wrong = []
    misfits = set()
    for name, tensor in weights.items():
        own = fitting_name(renamed(modern_name(name), names), wanted, prefix)
        if own not in wanted:
            if not is_computed(name):
                extra.append(name)
        elif tuple(tensor.shape) != tuple(wanted[own].shape):
            misfits.add(own)
            wrong.append(f"{name} is {size_text(tensor.shape)}, the config makes it {size_text(wanted[own].shape)}")
        else:
            given[own] = tensor
    # A file that has both has them apart.
    shared = [(name, source) for name, source in tied.items() if name not in given or source not in given]
    for name, source in shared:
        held = given.get(name, given.get(source))
        if held is not None:
            given[name] = given[source] = held
    missing = [name for name in wanted if name not in given and name not in misfits]
    if wrong or missing or not loads:
        return None, missing, extra, wrong
    model.load_state_dict(given, strict=True, assign=True)
    for name, source in shared:
        module, last = owner_of(model, name)
        holder, held = owner_of(model, source)
        setattr(module, last, getattr(holder, held))
    model.eval()
    return model, missing, extra, wrong
