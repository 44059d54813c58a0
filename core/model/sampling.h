// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the next token is chosen, as transformers' generate() names it: values only.

#include <cstdint>

#include "core/base/fields.h"

namespace loupe::session {

struct SamplingOptions {
    bool samples = false;  // false: the likeliest token
    double temperature = 1.0;
    std::int64_t top_k = 50;  // 0: all
    double top_p = 1.0;
    double min_p = 0.0;  // of the probability of the likeliest
    double repetition_penalty = 1.0;
    std::int64_t no_repeat_ngram = 0;  // so many tokens in a row come once only; 0: as often as they will
};
auto fields(Like<SamplingOptions> auto& it) {
    return std::tie(it.samples, it.temperature, it.top_k, it.top_p, it.min_p, it.repetition_penalty,
                    it.no_repeat_ngram);
}

}  // namespace loupe::session
