// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the next token is chosen from logits, as the logits processors of Hugging Face's transformers do.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/ordered_json.h"
#include "core/ops/random/mersenne_twister.h"

namespace loupe::session {

struct SamplingOptions {
    bool samples = false;  // false: the likeliest token
    double temperature = 1.0;
    std::int64_t top_k = 50;  // 0: all
    double top_p = 1.0;
    double min_p = 0.0;  // of the probability of the likeliest
    double repetition_penalty = 1.0;
};

// Of a generation_config.json; what it lacks is as transformers has it. Throws Error (File) for values that are none.
SamplingOptions sampling_of(const OrderedJson& config);
// Throws Error (Usage) for a temperature of 0 and the like.
void check_sampling(const SamplingOptions& options);

// Changes the scores as the options say; those of tokens that may not come are -infinity. ids: the tokens so far.
void process_scores(std::vector<float>& scores, std::span<const std::int64_t> ids, const SamplingOptions& options);

// Softmax in float32.
std::vector<float> probabilities_of(std::span<const float> scores);

// One of the tokens by their probabilities, or the first of the likeliest. Throws Error (Run) where all scores are NaN
// or -infinity.
std::int64_t choose_token(std::span<const float> scores, bool samples, MersenneTwister& generator);

struct LikelyToken {
    std::int64_t id = 0;
    float probability = 0;
};
// The likeliest first.
std::vector<LikelyToken> likeliest(std::span<const float> scores, std::size_t count);

}  // namespace loupe::session
