# SPDX-License-Identifier: Apache-2.0
"""Parts that most transformers share: layers without memory of their own, norms, attention, masks, the cache."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def placeholder(*shape):
    """A parameter that takes no memory: the file's tensor takes its place."""
    return nn.Parameter(torch.zeros(()).expand(shape))


def linear(inputs, outputs, bias=True):
    layer = nn.Linear(1, 1, bias=bias)
    layer.in_features = inputs
    layer.out_features = outputs
    layer.weight = placeholder(outputs, inputs)
    if bias:
        layer.bias = placeholder(outputs)
    return layer


def embedding(count, width):
    layer = nn.Embedding(1, 1)
    layer.num_embeddings = count
    layer.embedding_dim = width
    layer.weight = placeholder(count, width)
    return layer


def gelu_tanh(x):
    return F.gelu(x, approximate="tanh")


def quick_gelu(x):
    return x * torch.sigmoid(1.702 * x)


def gelu_10(x):
    return torch.clamp(F.gelu(x), -10, 10)


def squared_relu(x):
    return torch.square(F.relu(x))


ACTIVATIONS = {
    "gelu": F.gelu,
    "gelu_10": gelu_10,
    "gelu_accurate": gelu_tanh,
    "gelu_fast": gelu_tanh,
    "gelu_new": gelu_tanh,
    "gelu_python": F.gelu,
    "gelu_pytorch_tanh": gelu_tanh,
    "gelu_python_tanh": gelu_tanh,
    "leaky_relu": F.leaky_relu,
    "linear": lambda x: x,
    "mish": F.mish,
    "quick_gelu": quick_gelu,
    "relu": F.relu,
    "relu2": squared_relu,
    "relu6": F.relu6,
    "sigmoid": torch.sigmoid,
    "silu": F.silu,
    "swish": F.silu,
    "tanh": torch.tanh,
}


def activation(name):
    if name not in ACTIVATIONS:
        raise ValueError(f"config.json names an unknown activation: {name!r}")
    return ACTIVATIONS[name]


HEADS = ("ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering", "ForMultipleChoice",
         "ForCausalLM", "LMHeadModel", "LMHead", "ForMaskedLM", "ForPreTraining", "ForNextSentencePrediction",
         "DoubleHeadsModel", "ForConditionalGeneration", "ForImageClassification", "ForAudioClassification",
         "EncoderModel", "ModelWithProjection", "TextModel", "VisionModel", "Encoder", "Model")


def head_of(config, default):
    """The class that the folder was saved from, without the model's name: "ForCausalLM", "Model"."""
    names = config.get("architectures") or [default]
    for head in HEADS:
        if names[0].endswith(head):
            return head
    return default


def label_count(config):
    labels = config.get("id2label")
    return len(labels) if labels else config.get("num_labels", 2)


class RMSNorm(nn.Module):
    """x / sqrt(mean(x^2) + eps) in float32, times weight (Zhang and Sennrich, 2019)."""

    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        wide = x.to(torch.float32)
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * wide.to(x.dtype)


class CenteredRMSNorm(nn.Module):
    """The same with a weight whose zero means one, multiplied in float32: Gemma's."""

    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x):
        wide = x.to(torch.float32)
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return (wide * (1.0 + self.weight.to(torch.float32))).to(x.dtype)


def split_heads(x, heads):
    """[batch, length, heads * width] as [batch, heads, length, width]."""
    return x.view(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


def attention(query, key, value, scaling, mask=None, softcap=None, zeroes_blind=True):
    """Softmax attention. query: [batch, heads, length, width]; key and value: [batch, key heads, keys, width], where
    each key head serves as many query heads as there are for it. mask is added to the scores. A position that sees
    nothing, as padding may, mixes nothing; without zeroes_blind all keys alike, as transformers' eager attention does.
    Returns [batch, length, heads * width]."""
    batch, heads, length, width = query.shape
    key_heads, keys = key.shape[1], key.shape[2]
    # The query heads of one key head are rows of one product: keys are not repeated.
    grouped = query.reshape(batch, key_heads, heads // key_heads * length, width)
    scores = torch.matmul(grouped, key.transpose(2, 3)) * scaling
    scores = scores.view(batch, heads, length, keys)
    if softcap is not None:
        scores = torch.tanh(scores / softcap) * softcap
    if mask is not None:
        scores = scores + mask
    weights = F.softmax(scores, dim=-1, dtype=torch.float32).to(query.dtype)
    if mask is not None and zeroes_blind:
        weights = weights.masked_fill(mask < torch.finfo(mask.dtype).min / 2, 0.0)
    grouped = weights.view(batch, key_heads, heads // key_heads * length, keys)
    mixed = torch.matmul(grouped, value).view(batch, heads, length, -1)
    return mixed.transpose(1, 2).reshape(batch, length, -1)


def two_way_mask(x, attention_mask, window=None):
    """What is added to scores so that each position sees those closer than `window` on both sides."""
    at = torch.arange(x.shape[1], device=x.device)
    allowed = torch.ones((x.shape[1], x.shape[1]), dtype=torch.bool, device=x.device)
    if window is not None:
        allowed = (at[:, None] - at[None, :]).abs() < window
    if attention_mask is None:
        return padding_mask(allowed[None], x.dtype)
    return padding_mask(torch.logical_and(allowed[None], attention_mask.to(torch.bool)[:, None, :]), x.dtype)


def padding_mask(attention_mask, dtype):
    """[batch, keys] of ones and zeros (or [batch, length, keys]) as what is added to scores."""
    if attention_mask is None:
        return None
    allowed = attention_mask.to(torch.bool)
    allowed = allowed[:, None, None, :] if allowed.dim() == 2 else allowed[:, None]
    return torch.zeros(allowed.shape, dtype=dtype, device=allowed.device).masked_fill(
        torch.logical_not(allowed), torch.finfo(dtype).min)


def causal_mask(x, past, attention_mask=None, window=None, blocks=None):
    """What is added to scores so that each of the x.shape[1] positions behind `past` sees itself and what stands before
    it, of that at most `window` - 1. blocks: [batch, length] numbers of parts whose positions all see each other, -1 for
    none. None where nothing is hidden."""
    length = x.shape[1]
    keys = past + length
    hides_none = length == 1 and (window is None or keys <= window)
    if hides_none and attention_mask is None:
        return None
    at = torch.arange(past, keys, device=x.device)[:, None]
    of = torch.arange(keys, device=x.device)[None, :]
    allowed = (of <= at)[None, None]
    if blocks is not None:
        same = torch.logical_and(blocks[:, :, None] == blocks[:, None, :], blocks[:, :, None] >= 0)
        allowed = torch.logical_or(allowed, same[:, None])
    if window is not None:
        allowed = torch.logical_and(allowed, of > at - window)
    if attention_mask is not None:
        allowed = torch.logical_and(allowed, attention_mask.to(torch.bool)[:, None, None, :])
    return torch.zeros(allowed.shape, dtype=x.dtype, device=x.device).masked_fill(
        torch.logical_not(allowed), torch.finfo(x.dtype).min)


def past_length(past):
    """Positions that a cache holds. A cache is a tuple of (key, value) for each layer, [batch, heads, keys, width]. Of a
    decoder with an encoder the key and value of the encoder's result follow, which do not grow."""
    return past[0][0].shape[2] if past else 0


def extend(past, key, value):
    """The keys and values of a layer, behind those that the cache has of it."""
    if past is None:
        return key, value
    return torch.cat((past[0], key), dim=2), torch.cat((past[1], value), dim=2)


def positions_after(x, past):
    return torch.arange(past, past + x.shape[1], device=x.device)[None]


class LayerNormNoBias(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        return F.layer_norm(x, (x.shape[-1],), self.weight, None, self.eps)


def example_ids(count, length=8):
    """[1, length] ids in the vocabulary."""
    return torch.arange(1, length + 1)[None] * 7 % count


def example_texts(config):
    """The same for the head of the config: of a multiple choice [1, 2, 4]."""
    ids = example_ids(config["vocab_size"])
    return ids.view(1, 2, 4) if head_of(config, "Model") == "ForMultipleChoice" else ids


def last_token(x, input_ids, pad):
    """Of each row of x: [batch, length, width] what stands at its last token that is no padding."""
    if pad is None or input_ids is None:
        return x[:, -1]
    places = torch.arange(input_ids.shape[-1], device=x.device)
    last = (places * (input_ids != pad).to(torch.long)).argmax(-1)
    return x[torch.arange(x.shape[0], device=x.device), last]
