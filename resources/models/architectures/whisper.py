# SPDX-License-Identifier: Apache-2.0
"""Whisper (Radford et al., 2022): speech, as a log-mel spectrogram, to text."""

import torch
import torch.nn.functional as F
from torch import nn

from architectures.common import (activation, attention, causal_mask, embedding, example_ids, extend, head_of,
                                  label_count, linear, past_length, placeholder, positions_after, split_heads)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.k_proj = linear(width, width, False)
        self.v_proj = linear(width, width)
        self.q_proj = linear(width, width)
        self.out_proj = linear(width, width)

    def keys_and_values(self, of):
        return split_heads(self.k_proj(of), self.heads), split_heads(self.v_proj(of), self.heads)

    def forward(self, x, key, value, mask=None):
        query = split_heads(self.q_proj(x), self.heads)
        return self.out_proj(attention(query, key, value, query.shape[-1] ** -0.5, mask))


class Layer(nn.Module):
    def __init__(self, config, heads, inner, is_decoder):
        super().__init__()
        width = config["d_model"]
        self.is_decoder = is_decoder
        self.self_attn = Attention(width, heads)
        self.self_attn_layer_norm = nn.LayerNorm(width)
        if is_decoder:
            self.encoder_attn = Attention(width, heads)
            self.encoder_attn_layer_norm = nn.LayerNorm(width)
        self.act = activation(config.get("activation_function", "gelu"))
        self.fc1 = linear(width, inner)
        self.fc2 = linear(inner, width)
        self.final_layer_norm = nn.LayerNorm(width)

    def forward(self, x, mask=None, encoded=None, past=None):
        """The result, and (key, value), where something is heard followed by those of what the encoder gives."""
        normed = self.self_attn_layer_norm(x)
        kept = extend(past[:2] if past else None, *self.self_attn.keys_and_values(normed))
        x = x + self.self_attn(normed, *kept, mask)
        heard = past[2:] if past else ()
        if encoded is not None and not heard:
            heard = self.encoder_attn.keys_and_values(encoded)
        if heard:
            x = x + self.encoder_attn(self.encoder_attn_layer_norm(x), *heard)
        return x + self.fc2(self.act(self.fc1(self.final_layer_norm(x)))), kept + heard


class Encoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config["d_model"]
        self.conv1 = nn.Conv1d(config.get("num_mel_bins", 80), width, 3, padding=1)
        self.conv2 = nn.Conv1d(width, width, 3, stride=2, padding=1)
        self.embed_positions = embedding(config.get("max_source_positions", 1500), width)
        self.layers = nn.ModuleList([Layer(config, config["encoder_attention_heads"], config["encoder_ffn_dim"], False)
                                     for _ in range(config["encoder_layers"])])
        self.layer_norm = nn.LayerNorm(width)

    def forward(self, input_features, wants_all=False):
        x = F.gelu(self.conv2(F.gelu(self.conv1(input_features.to(self.conv1.weight.dtype)))))
        x = x.permute(0, 2, 1) + self.embed_positions.weight
        between = [x]
        for layer in self.layers:
            x, _ = layer(x)
            between.append(x)
        x = self.layer_norm(x)
        between[-1] = x
        return (x, between) if wants_all else x


class Decoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config["d_model"]
        self.embed_tokens = embedding(config["vocab_size"], width)
        self.embed_positions = embedding(config.get("max_target_positions", 448), width)
        self.layers = nn.ModuleList([Layer(config, config["decoder_attention_heads"], config["decoder_ffn_dim"], True)
                                     for _ in range(config["decoder_layers"])])
        self.layer_norm = nn.LayerNorm(width)

    def forward(self, input_ids, attention_mask, encoded, past=None):
        held = past_length(past)
        x = self.embed_tokens(input_ids) + self.embed_positions(positions_after(input_ids, held))
        mask = causal_mask(x, held, attention_mask)
        cache = []
        for i, layer in enumerate(self.layers):
            x, kept = layer(x, mask, encoded, past[i] if past else None)
            cache.append(kept)
        return self.layer_norm(x), tuple(cache)


class Whisper(nn.Module):
    base_model_prefix = "model"

    def __init__(self, config):
        super().__init__()
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)

    def forward(self, input_features, attention_mask=None, decoder_input_ids=None, decoder_attention_mask=None,
                past_key_values=None, use_cache=False):
        """attention_mask is not looked at: silence is heard. With a cache the encoder does not run: its keys and values
        are there."""
        encoded = None if past_key_values else self.encoder(input_features)
        x, cache = self.decoder(decoder_input_ids, decoder_attention_mask, encoded, past_key_values)
        return (x, cache) if use_cache else x


class WhisperForSpeech(nn.Module):
    base_model_prefix = "model"

    def __init__(self, config):
        super().__init__()
        self.model = Whisper(config)
        self.proj_out = linear(config["d_model"], config["vocab_size"], False)
        self.tied_weights = {"proj_out.weight": "model.decoder.embed_tokens.weight"}

    def forward(self, input_features, attention_mask=None, decoder_input_ids=None, decoder_attention_mask=None,
                past_key_values=None, use_cache=False):
        x, cache = self.model(input_features, attention_mask, decoder_input_ids, decoder_attention_mask,
                              past_key_values, True)
        logits = self.proj_out(x)
        return (logits, cache) if use_cache else logits


class AudioClassifier(nn.Module):
    """Scores of labels, of the mean over time of what the encoder, or a mixture of all its layers, gives."""

    def __init__(self, config):
        super().__init__()
        self.encoder = Encoder(config)
        self.mixes = config.get("use_weighted_layer_sum", False)
        if self.mixes:
            self.layer_weights = placeholder(config["encoder_layers"] + 1)
        inner = config.get("classifier_proj_size", 256)
        self.projector = linear(config["d_model"], inner)
        self.classifier = linear(inner, label_count(config))

    def forward(self, input_features):
        x, between = self.encoder(input_features, True)
        if self.mixes:
            shares = F.softmax(self.layer_weights, dim=-1)
            x = (torch.stack(between, dim=1) * shares.view(-1, 1, 1)).sum(dim=1)
        return self.classifier(self.projector(x).mean(dim=1))


class DecoderOnly(nn.Module):
    """The decoder alone, as a language model; nothing is heard."""

    def __init__(self, config):
        super().__init__()
        self.model = nn.ModuleDict({"decoder": Decoder(config)})
        self.proj_out = linear(config["d_model"], config["vocab_size"], False)
        self.tied_weights = {"proj_out.weight": "model.decoder.embed_tokens.weight"}

    def forward(self, input_ids, attention_mask=None, past_key_values=None, use_cache=False):
        x, cache = self.model["decoder"](input_ids, attention_mask, None, past_key_values)
        logits = self.proj_out(x)
        return (logits, cache) if use_cache else logits


def build(config):
    head = head_of(config, "ForConditionalGeneration")
    if head == "ForAudioClassification":
        return AudioClassifier(config)
    if head == "ForCausalLM":
        return DecoderOnly(config)
    return Whisper(config) if head == "Model" else WhisperForSpeech(config)


def example_inputs(config):
    ids = example_ids(config["vocab_size"], 4)
    head = head_of(config, "ForConditionalGeneration")
    if head == "ForCausalLM":
        return (ids,)
    length, bins = 2 * config.get("max_source_positions", 1500), config.get("num_mel_bins", 80)
    waves = torch.sin(torch.arange(length * bins, dtype=torch.float32) * 0.01).view(1, bins, length)
    return (waves,) if head == "ForAudioClassification" else (waves, None, ids)
