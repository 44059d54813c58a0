// SPDX-License-Identifier: Apache-2.0
#pragma once
// The likeliest texts by beam search, as transformers' generate(num_beams=N, do_sample=False) finds them. All beams are
// one batch of a run; a model with a cache is given the last tokens alone.

#include <memory>
#include <string>
#include <vector>

#include "core/model/generate.h"

namespace loupe::session {

struct BeamOptions {
    enum class Stop {
        Heuristic,   // when the best open text, ended now, would be no better than the worst that has ended
        FirstEnded,  // as soon as as many texts have ended as there are beams
        Never,       // the same as Heuristic for a text as long as it may become
    };
    std::int64_t beams = 1;
    double length_penalty = 1.0;  // scores are divided by the length to this power
    Stop stop = Stop::Heuristic;
};
// num_beams, length_penalty and early_stopping of the model's generation_config.json. Throws Error (File) for values
// that are none.
BeamOptions beam_options(const TextModel& model);

struct Beam {
    std::vector<std::int64_t> generated;  // behind the prompt, with the token that ends the text
    double score = 0;                     // its logarithmic probability over the length to the power
};
// The best first, as many as there are beams. options.sampling says which tokens may not come; nothing is drawn. Throws
// Error (Usage) for options that do not fit, and what the model throws.
std::vector<Beam> beam_search(const TextModel& model, const text::Encoding& prompt, const GenerateOptions& options,
                              const BeamOptions& beams);

}  // namespace loupe::session
