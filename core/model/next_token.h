// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the next token is chosen from logits, as the logits processors of Hugging Face's transformers do.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/ordered_json.h"
#include "core/model/sampling.h"
#include "core/ops/random/mersenne_twister.h"

namespace loupe::session {

// Of a generation_config.json; what it lacks is as transformers has it. Throws Error (File) for values that are none.
SamplingOptions sampling_of(const OrderedJson& config);
// Throws Error (Usage) for a temperature of 0 and the like.
void check_sampling(const SamplingOptions& options);

// Changes the scores as the options say; those of tokens that may not come are -infinity. ids: the tokens so far.
void process_scores(std::vector<float>& scores, std::span<const std::int64_t> ids, const SamplingOptions& options);

// Softmax in float32.
std::vector<float> probabilities_of(std::span<const float> scores);

// One of the tokens by their probabilities, drawn as torch.multinomial(softmax(scores), 1) draws with the generator's
// seed; or the first of the likeliest. Throws Error (Run) where all scores are NaN or -infinity.
std::int64_t choose_token(std::span<const float> scores, bool samples, MersenneTwister& generator);

struct LikelyToken {
    std::int64_t id = 0;
    float probability = 0;
};
// The likeliest first; equal ones by id. Empty where a score is NaN.
std::vector<LikelyToken> likeliest(std::span<const float> scores, std::size_t count);

// What scores say of one place of a text.
struct TokenOdds {
    std::vector<LikelyToken> top;  // as likeliest()
    double entropy = 0;            // of all probabilities, in nats; NaN where a score is
    // Of the token that stands there, where one was given: its place among all, 1 for the likeliest; 0: none was given.
    std::int64_t rank = 0;
    double probability = 0;
    double log_probability = 0;
};
// In two passes over the scores, which are not copied. actual: a token; negative, or beyond the scores: none.
TokenOdds odds_of(std::span<const float> scores, std::size_t count, std::int64_t actual = -1);

}  // namespace loupe::session
