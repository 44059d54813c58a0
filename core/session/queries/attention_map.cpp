// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/attention_map.h"

#include <algorithm>

#include "core/base/cancel.h"
#include "core/session/query_record.h"
#include "core/session/run_tokens.h"

namespace loupe::session {
namespace {

// weights: [rows, columns], contiguous float32.
AttentionTile tile_of(const float* weights, std::int64_t rows, std::int64_t columns, int most) {
    AttentionTile out;
    const auto step = [most](std::int64_t size) { return static_cast<int>((size + most - 1) / most); };
    out.row_step = std::max(1, step(rows));
    out.column_step = std::max(1, step(columns));
    out.rows = static_cast<int>((rows + out.row_step - 1) / out.row_step);
    out.columns = static_cast<int>((columns + out.column_step - 1) / out.column_step);
    out.weights.assign(static_cast<std::size_t>(out.rows) * static_cast<std::size_t>(out.columns), 0);
    for (std::int64_t i = 0; i < rows; ++i) {
        float* to = out.weights.data() + (i / out.row_step) * out.columns;
        for (std::int64_t j = 0; j < columns; ++j) {
            float& cell = to[j / out.column_step];
            const float weight = weights[i * columns + j];
            if (!(weight <= cell)) cell = weight;  // NaN too
        }
    }
    return out;
}

AttentionMap attention_map_answer(const AttentionMapQuery& query, QueryContext& context) {
    const RunTokens run = tokens_of_run(context);
    const Recording& recording = *run.recording;
    const auto sites = find_attentions(recording, run.axes);
    const auto found = std::ranges::find(sites, query.event, &AttentionSite::event);
    if (found == sites.end()) throw Error(ErrorKind::Usage, "the run has no attention there");
    AttentionMap out;
    out.site = *found;
    TensorList sources;
    for (const ValueId id : weights_sources(recording, *found)) sources.push_back(context.elements(id));
    const bool wants_heads = query.most_of_heads > 0;
    std::vector<float> mean;
    const auto places = static_cast<std::size_t>(found->queries * found->keys);
    if (query.head < 0) mean.assign(places, 0);
    for (std::int64_t head = 0; head < found->heads; ++head) {
        check_cancelled();
        const bool is_asked = head == query.head;
        if (!wants_heads && !is_asked && query.head >= 0) continue;
        const Tensor weights = attention_weights(recording, *found, sources, query.batch, head);
        const float* data = weights.data<float>();
        if (wants_heads) out.heads.push_back(tile_of(data, found->queries, found->keys, query.most_of_heads));
        if (is_asked) out.map = tile_of(data, found->queries, found->keys, std::max(1, query.most));
        for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += data[i];
    }
    if (query.head >= found->heads)
        throw Error(ErrorKind::Usage, concat("no head ", query.head, ": there are ", found->heads));
    for (float& each : mean) each /= static_cast<float>(std::max<std::int64_t>(found->heads, 1));
    if (query.head < 0) out.map = tile_of(mean.data(), found->queries, found->keys, std::max(1, query.most));
    out.query_tokens = tokens_along(run, found->query_tokens, found->queries);
    out.key_tokens = tokens_along(run, found->key_tokens, found->keys);
    return out;
}

}  // namespace

const QueryRecord& AttentionMapQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<AttentionMapQuery, attention_map_answer>({.name = "attention map"});
    return kRecord;
}

}  // namespace loupe::session
