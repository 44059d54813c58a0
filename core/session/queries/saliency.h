// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which tokens of a text matter for a logit; see token_saliency.h. The model runs on them forward and backward, beside
// the run that is shown.

#include <cstdint>
#include <vector>

#include "core/session/query.h"
#include "core/study/token_saliency.h"

namespace loupe::session {

struct SaliencyQuery {
    using Answer = Saliency;
    static const QueryRecord& record();

    std::vector<std::int64_t> ids = {};          // of the text; of a model with an encoder the encoder's
    std::vector<std::int64_t> decoder_ids = {};  // of such a model; empty: the one that its decoder begins with
    std::int64_t position = 0;                   // in the logits
    std::int64_t token = 0;
};
auto fields(Like<SaliencyQuery> auto& it) { return std::tie(it.ids, it.decoder_ids, it.position, it.token); }

}  // namespace loupe::session
