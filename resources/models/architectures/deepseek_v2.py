# SPDX-License-Identifier: Apache-2.0
"""DeepSeek-V2 (2024): keys and values of all heads are made of one narrow vector a token, beside a mixture of experts."""

import torch
import torch.nn.functional as F
from torch import nn

from architectures.common import RMSNorm, attention, extend, linear
from architectures.decoder import Decoder, DecoderLayer, GatedMLP, Layout, example_inputs, with_head
from architectures.experts import mix
from architectures.rotary import rotate_pairs, yarn_scale


class DeepseekLayout(Layout):
    def __init__(self, config):
        super().__init__(config)
        self.key_heads = self.heads
        self.rotate = rotate_pairs
        self.experts = DeepseekExperts
        self.plain, self.turned = config.get("qk_nope_head_dim", 128), config.get("qk_rope_head_dim", 64)
        self.value_width = config.get("v_head_dim", 128)
        self.query_rank, self.rank = config.get("q_lora_rank"), config.get("kv_lora_rank", 512)
        self.head_width = self.plain + self.turned
        self.scaling = self.head_width ** -0.5
        self.splits = config.get("splits_kv_b", False)
        rope = self.rope["full_attention"]
        if rope["rope_type"] != "default" and rope.get("mscale_all_dim"):
            self.scaling *= yarn_scale(rope["factor"], rope["mscale_all_dim"]) ** 2
        self.qkv_bias = self.out_bias = config.get("attention_bias", False)
        self.mlp_bias = config.get("mlp_bias", False)

    def rotary_width(self, kind):
        return self.turned

    def mlp_of(self, index):
        is_dense = index < self.config.get("first_k_dense_replace", 0)
        return GatedMLP(self) if is_dense else self.experts(self)


class LatentAttention(nn.Module):
    def __init__(self, layout, index):
        super().__init__()
        self.layout = layout
        width, heads = layout.width, layout.heads
        if layout.query_rank is None:
            self.q_proj = linear(width, heads * layout.head_width, False)
        else:
            self.q_a_proj = linear(width, layout.query_rank, layout.qkv_bias)
            self.q_a_layernorm = RMSNorm(layout.query_rank, 1e-6)
            self.q_b_proj = linear(layout.query_rank, heads * layout.head_width, False)
        self.kv_a_proj_with_mqa = linear(width, layout.rank + layout.turned, layout.qkv_bias)
        self.kv_a_layernorm = RMSNorm(layout.rank, 1e-6)
        if layout.splits:
            self.k_b_proj = nn.ModuleList([linear(layout.plain, layout.rank, False) for _ in range(heads)])
            self.v_b_proj = nn.ModuleList([linear(layout.rank, layout.value_width, False) for _ in range(heads)])
        else:
            self.kv_b_proj = linear(layout.rank, heads * (layout.plain + layout.value_width), False)
        self.o_proj = linear(heads * layout.value_width, width, layout.out_bias)

    def queries(self, x):
        layout = self.layout
        query = self.q_proj(x) if layout.query_rank is None else self.q_b_proj(self.q_a_layernorm(self.q_a_proj(x)))
        query = query.view(x.shape[0], x.shape[1], layout.heads, layout.head_width).transpose(1, 2)
        return query[..., :layout.plain], query[..., layout.plain:]

    def forward(self, x, rotary, mask, past):
        layout = self.layout
        plain, turned = self.queries(x)
        latent, shared = self.kv_a_proj_with_mqa(x).split([layout.rank, layout.turned], dim=-1)
        latent = self.kv_a_layernorm(latent)
        turned, shared = layout.rotate(turned, *rotary), layout.rotate(shared[:, None], *rotary)
        if layout.splits:
            return self.among_latents(plain, turned, latent[:, None], shared, mask, past)
        both = self.kv_b_proj(latent).view(x.shape[0], x.shape[1], layout.heads, -1).transpose(1, 2)
        key = torch.cat((both[..., :layout.plain], shared.expand(-1, layout.heads, -1, -1)), dim=-1)
        key, value = extend(past, key, both[..., layout.plain:])
        mixed = attention(torch.cat((plain, turned), dim=-1), key, value, layout.scaling, mask)
        return self.o_proj(mixed), (key, value)

    def among_latents(self, plain, turned, latent, shared, mask, past):
        """The same where the file has the halves of kv_b_proj apart: queries go to the narrow vectors, which are all
        that is kept."""
        layout = self.layout
        query = torch.stack([part(plain[:, i]) for i, part in enumerate(self.k_b_proj)], dim=1)
        key, value = extend(past, torch.cat((latent, shared), dim=-1), latent)
        mixed = attention(torch.cat((query, turned), dim=-1), key, value, layout.scaling, mask)
        mixed = mixed.view(mixed.shape[0], mixed.shape[1], layout.heads, layout.rank)
        mixed = torch.cat([part(mixed[:, :, i]) for i, part in enumerate(self.v_b_proj)], dim=-1)
        return self.o_proj(mixed), (key, value)


class DeepseekExperts(nn.Module):
    def __init__(self, layout):
        super().__init__()
        config = layout.config
        inner, count = config["moe_intermediate_size"], config["n_routed_experts"]
        self.chosen = config["num_experts_per_tok"]
        self.scale = config.get("routed_scaling_factor", 1.0)
        self.is_limited = config.get("topk_method", "greedy") == "group_limited_greedy"
        self.groups, self.chosen_groups = config.get("n_group"), config.get("topk_group")
        self.gate = linear(layout.width, count, False)
        self.experts = nn.ModuleList([GatedMLP(layout, inner) for _ in range(count)])
        self.shared_experts = GatedMLP(layout, inner * config.get("n_shared_experts", 2))

    def choose(self, x):
        """Of tokens x: [tokens, width] the shares of the experts that each is sent to, and which these are."""
        scores = F.softmax(self.gate(x).to(torch.float32), dim=-1)
        if self.is_limited:
            # Only experts of the groups whose best expert is among the likeliest.
            best = scores.view(scores.shape[0], self.groups, -1).amax(dim=-1)
            scores = scores.masked_fill(torch.logical_not(self.in_best_groups(best, scores.shape[-1])), 0.0)
        shares, which = torch.topk(scores, self.chosen, dim=-1)
        return shares * self.scale, which

    def in_best_groups(self, scores, count):
        """scores: [tokens, groups]. Of each of `count` experts whether its group is one of the best."""
        best = torch.topk(scores, self.chosen_groups, dim=-1)[1]
        allowed = torch.zeros(scores.shape, device=scores.device).scatter(1, best, 1.0)
        return allowed.to(torch.bool)[..., None].expand(-1, -1, count // self.groups).reshape(-1, count)

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        shares, which = self.choose(flat)
        return mix(flat, which, shares, self.experts).view(x.shape) + self.shared_experts(x)


class DeepseekLayer(DecoderLayer):
    attention_class = LatentAttention


class DeepseekDecoder(Decoder):
    layer_class = DeepseekLayer


def build(config):
    layout = DeepseekLayout(config)
    return with_head(config, layout, DeepseekDecoder(layout))
