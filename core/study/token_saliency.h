// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which tokens matter for a logit: its gradient with respect to the embeddings of the tokens, times these embeddings
// (Shrikumar et al. 2016; "gradient x input").

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/program.h"

namespace loupe::session {

struct TokenSaliency {
    double score = 0;  // sum over the embedding of gradient times value: to first order, what the token adds
    double norm = 0;   // of the gradient, Euclidean
};
auto fields(Like<TokenSaliency> auto& it) { return std::tie(it.score, it.norm); }

struct Saliency {
    std::string error;  // not empty: nothing else is valid
    double logit = 0;
    std::vector<TokenSaliency> tokens;
    std::vector<TokenSaliency> decoder_tokens;  // of a model with an encoder those of its decoder
};
auto fields(Like<Saliency> auto& it) { return std::tie(it.error, it.logit, it.tokens, it.decoder_tokens); }

// arguments: of the method, one of them the ids, [1, n], and where there is a decoder of its own another. position: in
// the logits, [1, n, vocabulary]; token: in the vocabulary. Parameters, gradients, buffers and random numbers are left
// as they were; parameters get no gradients. Throws Error (Usage) where there is no such logit, Run where no embedding
// looks up the ids, and what the model throws.
Saliency token_saliency(const std::shared_ptr<Program>& program, const std::string& method,
                        std::vector<IValue> arguments, const std::vector<std::int64_t>& ids,
                        const std::vector<std::int64_t>& decoder_ids, std::int64_t position, std::int64_t token);

}  // namespace loupe::session
