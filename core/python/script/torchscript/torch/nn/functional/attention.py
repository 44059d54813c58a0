# SPDX-License-Identifier: Apache-2.0
def _check_attention_dims(query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Optional[Tensor], attn_mask: Optional[Tensor]) -> bool:
    dims = query.dim()
    assert dims == 3 or dims == 2, "query should be unbatched 2D or batched 3D tensor but received {}-D query tensor".format(dims)
    kind = "batched (3-D)" if dims == 3 else "unbatched (2-D)"
    assert key.dim() == dims and value.dim() == dims, "For {} `query`, expected `key` and `value` to be {}-D but found {}-D and {}-D tensors respectively".format(kind, dims, key.dim(), value.dim())
    if key_padding_mask is not None:
        assert key_padding_mask.dim() == dims - 1, "For {} `query`, expected `key_padding_mask` to be `None` or {}-D but found {}-D tensor instead".format(kind, dims - 1, key_padding_mask.dim())
    if attn_mask is not None:
        assert attn_mask.dim() == 2 or attn_mask.dim() == 3, "For {} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {}-D tensor instead".format(kind, attn_mask.dim())
    return dims == 3

def _project_packed(q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Optional[Tensor]) -> List[Tensor]:
    width = q.size(-1)
    if k is v:
        if q is k:
            return torch.linear(q, w, b).chunk(3, dim=-1)
        w_q, w_kv = w.split([width, width * 2])
        if b is None:
            b_q = b_kv = None
        else:
            b_q, b_kv = b.split([width, width * 2])
        return [torch.linear(q, w_q, b_q)] + torch.linear(k, w_kv, b_kv).chunk(2, dim=-1)
    w_q, w_k, w_v = w.chunk(3)
    if b is None:
        b_q = b_k = b_v = None
    else:
        b_q, b_k, b_v = b.chunk(3)
    return [torch.linear(q, w_q, b_q), torch.linear(k, w_k, b_k), torch.linear(v, w_v, b_v)]

def _project(q: Tensor, k: Tensor, v: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, b: Optional[Tensor]) -> List[Tensor]:
    if b is None:
        b_q = b_k = b_v = None
    else:
        b_q, b_k, b_v = b.chunk(3)
    return [torch.linear(q, w_q, b_q), torch.linear(k, w_k, b_k), torch.linear(v, w_v, b_v)]

def _checked_attention_mask(mask: Tensor, target: int, source: int, copies: int) -> Tensor:
    if mask.dtype == torch.uint8:
        torch.warn("Byte tensor for attn_mask in nn.MultiheadAttention is deprecated. Use bool tensor instead.")
        mask = mask.to(torch.bool)
    else:
        assert mask.is_floating_point() or mask.dtype == torch.bool, "Only float, byte, and bool types are supported for attn_mask, not {}".format(mask.dtype)
    if mask.dim() == 2:
        if mask.size() != [target, source]:
            raise RuntimeError("The shape of the 2D attn_mask is {}, but should be {}.".format(mask.size(), (target, source)))
        return mask.unsqueeze(0)
    if mask.dim() == 3:
        if mask.size() != [copies, target, source]:
            raise RuntimeError("The shape of the 3D attn_mask is {}, but should be {}.".format(mask.size(), (copies, target, source)))
        return mask
    raise RuntimeError("attn_mask's dimension {} is not supported".format(mask.dim()))

def _static_heads(name: str, given: Tensor, copies: int, head_dim: int) -> Tensor:
    assert given.size(0) == copies, "expecting {}.size(0) of {}, but got {}".format(name, copies, given.size(0))
    assert given.size(2) == head_dim, "expecting {}.size(2) of {}, but got {}".format(name, head_dim, given.size(2))
    return given

def multi_head_attention_forward(query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int,
                                 in_proj_weight: Optional[Tensor], in_proj_bias: Optional[Tensor], bias_k: Optional[Tensor],
                                 bias_v: Optional[Tensor], add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor,
                                 out_proj_bias: Optional[Tensor], training: bool = True, key_padding_mask: Optional[Tensor] = None,
                                 need_weights: bool = True, attn_mask: Optional[Tensor] = None, use_separate_proj_weight: bool = False,
                                 q_proj_weight: Optional[Tensor] = None, k_proj_weight: Optional[Tensor] = None,
                                 v_proj_weight: Optional[Tensor] = None, static_k: Optional[Tensor] = None,
                                 static_v: Optional[Tensor] = None,
                                 average_attn_weights: bool = True) -> Tuple[Tensor, Optional[Tensor]]:
    is_batched = _check_attention_dims(query, key, value, key_padding_mask, attn_mask)
    if not is_batched:
        same_key = key is query
        same_value = value is key
        query = query.unsqueeze(1)
        key = query if same_key else key.unsqueeze(1)
        value = key if same_value else value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    tgt_len, bsz, embed_dim = query.size()
    src_len = key.size(0)
    if key_padding_mask is not None:
        assert key_padding_mask.dtype == torch.bool or key_padding_mask.is_floating_point(), "only bool and floating types of key_padding_mask are supported"
    assert embed_dim == embed_dim_to_check, "was expecting embedding dimension of {}, but got {}".format(embed_dim_to_check, embed_dim)
    head_dim = embed_dim // num_heads
    assert head_dim * num_heads == embed_dim, "embed_dim {} not divisible by num_heads {}".format(embed_dim, num_heads)
    if use_separate_proj_weight:
        assert key.size()[:2] == value.size()[:2], "key's sequence and batch dims {} do not match value's {}".format(key.size()[:2], value.size()[:2])
        assert q_proj_weight is not None, "use_separate_proj_weight is True but q_proj_weight is None"
        assert k_proj_weight is not None, "use_separate_proj_weight is True but k_proj_weight is None"
        assert v_proj_weight is not None, "use_separate_proj_weight is True but v_proj_weight is None"
        q, k, v = _project(query, key, value, q_proj_weight, k_proj_weight, v_proj_weight, in_proj_bias)
    else:
        assert key.size() == value.size(), "key shape {} does not match value shape {}".format(key.size(), value.size())
        assert in_proj_weight is not None, "use_separate_proj_weight is False but in_proj_weight is None"
        q, k, v = _project_packed(query, key, value, in_proj_weight, in_proj_bias)
    copies = bsz * num_heads
    if attn_mask is not None:
        attn_mask = _checked_attention_mask(attn_mask, tgt_len, src_len, copies)
    if bias_k is not None and bias_v is not None:
        assert static_k is None, "bias cannot be added to static key."
        assert static_v is None, "bias cannot be added to static value."
        k = torch.cat([k, bias_k.repeat(1, bsz, 1)])
        v = torch.cat([v, bias_v.repeat(1, bsz, 1)])
        if attn_mask is not None:
            attn_mask = torch.pad(attn_mask, (0, 1))
        if key_padding_mask is not None:
            key_padding_mask = torch.pad(key_padding_mask, (0, 1))
    else:
        assert bias_k is None
        assert bias_v is None
    q = q.contiguous().view(tgt_len, copies, head_dim).transpose(0, 1)
    if static_k is None:
        k = k.contiguous().view(k.size()[0], copies, head_dim).transpose(0, 1)
    else:
        k = _static_heads("static_k", static_k, copies, head_dim)
    if static_v is None:
        v = v.contiguous().view(v.size()[0], copies, head_dim).transpose(0, 1)
    else:
        v = _static_heads("static_v", static_v, copies, head_dim)
    if add_zero_attn:
        k = torch.cat([k, torch.zeros((copies, 1, head_dim), dtype=k.dtype, device=k.device)], dim=1)
        v = torch.cat([v, torch.zeros((copies, 1, head_dim), dtype=v.dtype, device=v.device)], dim=1)
        if attn_mask is not None:
            attn_mask = torch.pad(attn_mask, (0, 1))
        if key_padding_mask is not None:
            key_padding_mask = torch.pad(key_padding_mask, (0, 1))
    src_len = k.size(1)
    if key_padding_mask is not None:
        assert key_padding_mask.size() == [bsz, src_len], "expecting key_padding_mask shape of {}, but got {}".format((bsz, src_len), key_padding_mask.size())
        padding = key_padding_mask.view(bsz, 1, 1, src_len).expand(-1, num_heads, -1, -1).reshape(copies, 1, src_len)
        if attn_mask is None:
            attn_mask = padding
        elif attn_mask.dtype == torch.bool:
            attn_mask = attn_mask.logical_or(padding)
        else:
            attn_mask = attn_mask.masked_fill(padding, -math.inf)
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        added = torch.zeros_like(attn_mask, dtype=q.dtype)
        added.masked_fill_(attn_mask, -math.inf)
        attn_mask = added
    if not training:
        dropout_p = 0.0
    scaled = q / math.sqrt(q.size(2))
    if attn_mask is not None:
        weights = torch.baddbmm(attn_mask, scaled, k.transpose(-2, -1))
    else:
        weights = torch.bmm(scaled, k.transpose(-2, -1))
    weights = F.softmax(weights, dim=-1)
    if dropout_p > 0.0:
        weights = F.dropout(weights, p=dropout_p)
    output = torch.bmm(weights, v).transpose(0, 1).contiguous().view(tgt_len * bsz, embed_dim)
    output = torch.linear(output, out_proj_weight, out_proj_bias)
    output = output.view(tgt_len, bsz, output.size(1))
    if need_weights:
        weights = weights.view(bsz, num_heads, tgt_len, src_len)
        if average_attn_weights:
            weights = weights.sum(dim=1) / num_heads
        if not is_batched:
            output = output.squeeze(1)
            weights = weights.squeeze(0)
        return output, weights
    if not is_batched:
        output = output.squeeze(1)
    return output, None
