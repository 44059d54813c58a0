// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of torch.nn.functional that C++ calls; shapes, errors and defaults are PyTorch's.

#include <optional>
#include <string_view>

#include "core/nn/native_function.h"
#include "core/tensor/tensor.h"

namespace loupe::nn::functional {

// 0 none, 1 mean, 2 sum: the operators' numbers for a reduction's name. Throws Error (Run) for another name.
std::int64_t reduction_number(std::string_view reduction);
// The reduction of the deprecated arguments size_average and reduce.
std::string_view legacy_reduction(const IValue& size_average, const IValue& reduce);

// The given number for every one of `count` dimensions, or a list or tuple as it is.
Dims expanded(const IValue& value, std::size_t count);

struct AttentionArguments {
    Tensor query, key, value;  // [L, N, E] or [L, E]
    std::int64_t embed_dim = 0;
    std::int64_t num_heads = 0;
    Tensor in_proj_weight, in_proj_bias, bias_k, bias_v;
    bool add_zero_attn = false;
    double dropout_p = 0;
    Tensor out_proj_weight, out_proj_bias;
    bool training = true;
    Tensor key_padding_mask = {};
    bool need_weights = true;
    Tensor attn_mask = {};
    bool use_separate_proj_weight = false;
    Tensor q_proj_weight = {}, k_proj_weight = {}, v_proj_weight = {};
    Tensor static_k = {}, static_v = {};
    bool average_attn_weights = true;
    bool is_causal = false;  // a hint about attn_mask; the mask itself is used
};
// The attended values and, when requested, the weights.
std::pair<Tensor, Tensor> multi_head_attention_forward(const AttentionArguments& given);

}  // namespace loupe::nn::functional
