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


def head_of(config, default):
    """The class that the folder was saved from, without the model's name: "ForCausalLM", "Model"."""
    names = config.get("architectures") or [default]
    name = names[0]
    for head in ("ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering", "ForMultipleChoice",
                 "ForCausalLM", "LMHeadModel", "LMHead", "ForMaskedLM", "ForPreTraining", "ForNextSentencePrediction",
                 "DoubleHeadsModel", "ForConditionalGeneration", "ForImageClassification", "EncoderModel",
                 "TextModelWithProjection", "VisionModelWithProjection", "TextModel", "VisionModel", "Encoder", "Model"):
        if name.endswith(head):
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


def attention(query, key, value, scaling, mask=None, softcap=None):
    """Softmax attention. query: [batch, heads, length, width]; key and value: [batch, key heads, keys, width], where
    each key head serves as many query heads as there are for it. mask is added to the scores. Returns
    [batch, length, heads * width]."""
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
    if mask is not None:
        # A position that sees nothing, as padding may, mixes nothing.
        weights = weights.masked_fill(mask < torch.finfo(mask.dtype).min / 2, 0.0)
    grouped = weights.view(batch, key_heads, heads // key_heads * length, keys)
    mixed = torch.matmul(grouped, value).view(batch, heads, length, -1)
    return mixed.transpose(1, 2).reshape(batch, length, -1)


def padding_mask(attention_mask, dtype):
    """[batch, keys] of ones and zeros (or [batch, length, keys]) as what is added to scores."""
    if attention_mask is None:
        return None
    allowed = attention_mask.to(torch.bool)
    allowed = allowed[:, None, None, :] if allowed.dim() == 2 else allowed[:, None]
    return torch.zeros(allowed.shape, dtype=dtype, device=allowed.device).masked_fill(
        torch.logical_not(allowed), torch.finfo(dtype).min)


def causal_mask(x, past, attention_mask=None, window=None):
    """What is added to scores so that each of the x.shape[1] positions behind `past` sees itself and what stands before
    it, of that at most `window` - 1. None where nothing is hidden."""
    length = x.shape[1]
    keys = past + length
    hides_none = length == 1 and (window is None or keys <= window)
    if hides_none and attention_mask is None:
        return None
    at = torch.arange(past, keys, device=x.device)[:, None]
    of = torch.arange(keys, device=x.device)[None, :]
    allowed = of <= at
    if window is not None:
        allowed = torch.logical_and(allowed, of > at - window)
    allowed = allowed[None, None]
    if attention_mask is not None:
        allowed = torch.logical_and(allowed, attention_mask.to(torch.bool)[:, None, None, :])
    return torch.zeros(allowed.shape, dtype=x.dtype, device=x.device).masked_fill(
        torch.logical_not(allowed), torch.finfo(x.dtype).min)


def past_length(past):
    """Positions that a cache holds. A cache is a tuple of (key, value) for each layer, [batch, heads, keys, width]."""
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


def last_token(x, input_ids, pad):
    """Of each row of x: [batch, length, width] what stands at its last token that is no padding."""
    if pad is None or input_ids is None:
        return x[:, -1]
    places = torch.arange(input_ids.shape[-1], device=x.device)
    last = (places * (input_ids != pad).to(torch.long)).argmax(-1)
    return x[torch.arange(x.shape[0], device=x.device), last]
