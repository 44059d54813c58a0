// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the logits of the shown run say of the tokens that may come, place by place.

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/token_info.h"
#include "core/record/recording.h"
#include "core/session/query.h"

namespace loupe::session {

struct PlaceOdds {
    std::int64_t place = 0;  // in the tokens of the run
    TokenInfo token;         // that stands there
    double entropy = 0;      // of all probabilities, in nats
    std::vector<TokenChoice> top;
    // The token that comes; of a model that fills gaps the one that stands there.
    bool has_actual = false;
    TokenInfo actual;
    std::int64_t rank = 0;  // 1: the likeliest
    double probability = 0;
    double log_probability = 0;  // natural
};
auto fields(Like<PlaceOdds> auto& it) {
    return std::tie(it.place, it.token, it.entropy, it.top, it.has_actual, it.actual, it.rank, it.probability,
                    it.log_probability);
}

struct NextTokens {
    std::string error;
    ValueId logits = 0;
    std::int64_t vocabulary = 0;
    std::int64_t places = 0;       // that have scores; `odds` begins with the first that was asked for
    std::int64_t first_place = 0;  // of the first that has scores, in the tokens of the run
    std::vector<PlaceOdds> odds;
};
auto fields(Like<NextTokens> auto& it) {
    return std::tie(it.error, it.logits, it.vocabulary, it.places, it.first_place, it.odds);
}

struct NextTokensQuery {
    using Answer = NextTokens;
    static const QueryRecord& record();

    std::int64_t first = 0;  // of the places that have scores; negative: from the end
    std::int64_t count = 64;
    int top = 5;
};
auto fields(Like<NextTokensQuery> auto& it) { return std::tie(it.first, it.count, it.top); }

}  // namespace loupe::session
