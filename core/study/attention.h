// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a run attends, and with what weights. Weights are those of a softmax whose result is a factor of a matrix
// product, or are computed of what scaled_dot_product_attention was given.

#include <cstdint>
#include <string>
#include <vector>

#include "core/record/recording.h"
#include "core/study/token_axes.h"
#include "core/tensor/tensor.h"

namespace loupe::session {

// One attention of a run.
struct AttentionSite {
    EventId event = 0;      // the softmax, or the operator that does all of it
    std::string scope;      // module path
    bool is_fused = false;  // scaled_dot_product_attention: the weights are computed when they are asked for
    std::int64_t batches = 0;
    std::int64_t heads = 0;
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    TokenAxis query_tokens;
    TokenAxis key_tokens;
};
auto fields(Like<AttentionSite> auto& it) {
    return std::tie(it.event, it.scope, it.is_fused, it.batches, it.heads, it.queries, it.keys, it.query_tokens,
                    it.key_tokens);
}

// In the order of the run.
std::vector<AttentionSite> find_attentions(const Recording& recording, const TokenAxes& axes);

// What weights are made of: the softmax's result, or query, key and perhaps mask.
std::vector<ValueId> weights_sources(const Recording& recording, const AttentionSite& site);

// The weights of one head as [queries, keys] in float32 on the host. sources: elements of weights_sources. Throws Error
// (Run) where they do not fit the site.
Tensor attention_weights(const Recording& recording, const AttentionSite& site, const TensorList& sources,
                         std::int64_t batch, std::int64_t head);

}  // namespace loupe::session
