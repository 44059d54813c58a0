// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text that a model of a session makes token by token, and the order to make it: values only.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/sampling.h"
#include "core/model/token_info.h"
#include "core/record/recording.h"
#include "core/record/run_options.h"

namespace loupe::session {

// What text is made with. Another one begins anew.
struct GenerationSettings {
    std::string text;  // the prompt
    SamplingOptions sampling;
    std::uint64_t seed = 0;  // of its own generator, as torch.manual_seed(seed) before generate()
};
auto fields(Like<GenerationSettings> auto& it) { return std::tie(it.text, it.sampling, it.seed); }

struct GenerateRequest {
    GenerationSettings settings;
    bool begins = false;        // anew, also with the settings there are
    std::int64_t tokens = 1;    // how many
    std::int64_t look_at = -1;  // not negative: no token is made, the run that gave the one of this number is repeated
    bool pause_at_start = false;
    RunOptions run;  // what of it applies: statistics, values, training, threads, device
};
auto fields(Like<GenerateRequest> auto& it) {
    return std::tie(it.settings, it.begins, it.tokens, it.look_at, it.pause_at_start, it.run);
}

// A token that came, and what it was chosen from.
struct GeneratedToken {
    TokenInfo token;
    double probability = 0;            // among what the settings left to choose from
    double model_probability = 0;      // as the model has it
    std::int64_t rank = 0;             // by the model's scores, 1 for the likeliest
    double entropy = 0;                // of the model's probabilities, in nats
    std::vector<TokenChoice> choices;  // the likeliest of what could be chosen
    std::int64_t left = 0;             // how many could be chosen
    double seconds = 0;                // of its run; of one that was recorded the recording included
    std::int64_t cache_bytes = 0;      // behind it
};
auto fields(Like<GeneratedToken> auto& it) {
    return std::tie(it.token, it.probability, it.model_probability, it.rank, it.entropy, it.choices, it.left,
                    it.seconds, it.cache_bytes);
}

// Keys and values that a layer keeps.
struct CachedLayer {
    std::int64_t layer = 0;
    bool is_of_encoder = false;  // of what the encoder gave: made once, they do not grow
    std::string scope;           // of the module that made them, in the run that is shown; empty: not known
    Shape key;                   // [batch, heads, places, width]
    Shape value;
    std::string dtype;
    std::int64_t bytes = 0;
    std::int64_t bytes_a_token = 0;  // 0: it does not grow
    std::int64_t weight_bytes = 0;   // of the layer's parameters; 0: not known
    ValueId key_id = 0;              // in the run that is shown; 0: not there
    ValueId value_id = 0;
};
auto fields(Like<CachedLayer> auto& it) {
    return std::tie(it.layer, it.is_of_encoder, it.scope, it.key, it.value, it.dtype, it.bytes, it.bytes_a_token,
                    it.weight_bytes, it.key_id, it.value_id);
}

struct Generation {
    GenerationSettings settings;
    std::vector<TokenInfo> prompt;
    std::vector<GeneratedToken> tokens;
    std::string text;                // what the tokens made
    std::vector<CachedLayer> cache;  // empty: the model keeps none
    std::int64_t cached_tokens = 0;
    std::int64_t most_tokens = 0;  // that the model is made for, prompt included; 0: not known
    std::int64_t shown = -1;       // the token whose run is recorded; -1: none
    bool has_ended = false;        // a token that ends the text has come
};
auto fields(Like<Generation> auto& it) {
    return std::tie(it.settings, it.prompt, it.tokens, it.text, it.cache, it.cached_tokens, it.most_tokens, it.shown,
                    it.has_ended);
}

}  // namespace loupe::session
