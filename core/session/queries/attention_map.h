// SPDX-License-Identifier: Apache-2.0
#pragma once
// The weights of one attention of the shown run, by head.

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/token_info.h"
#include "core/session/query.h"
#include "core/study/attention.h"

namespace loupe::session {

// Weights, [rows, columns]. Of more queries or keys than were asked for each stands for `step` of them, by the
// greatest.
struct AttentionTile {
    int rows = 0;
    int columns = 0;
    int row_step = 1;
    int column_step = 1;
    std::vector<float> weights;  // row-major
};
auto fields(Like<AttentionTile> auto& it) {
    return std::tie(it.rows, it.columns, it.row_step, it.column_step, it.weights);
}

struct AttentionMap {
    std::string error;
    AttentionSite site;
    AttentionTile map;                    // of the head, or the mean of all
    std::vector<AttentionTile> heads;     // all of them, small
    std::vector<TokenInfo> query_tokens;  // one a query; empty: not known
    std::vector<TokenInfo> key_tokens;
};
auto fields(Like<AttentionMap> auto& it) {
    return std::tie(it.error, it.site, it.map, it.heads, it.query_tokens, it.key_tokens);
}

struct AttentionMapQuery {
    using Answer = AttentionMap;
    static const QueryRecord& record();

    EventId event = 0;  // of a site; see AttentionsQuery
    std::int64_t batch = 0;
    std::int64_t head = -1;  // -1: the mean of all
    int most = 1024;         // rows and columns of the map
    int most_of_heads = 24;  // likewise of each of all heads; 0: they are not wanted
};
auto fields(Like<AttentionMapQuery> auto& it) {
    return std::tie(it.event, it.batch, it.head, it.most, it.most_of_heads);
}

}  // namespace loupe::session
