// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text token by token: each call of step() runs the model once and gives the next token. A model with a cache of keys
// and values is given the last token alone. Callers that run the model themselves take arguments() and give the result
// to take().

#include <functional>
#include <string>
#include <vector>

#include "core/model/next_token.h"
#include "core/model/text_model.h"

namespace loupe::session {

constexpr std::int64_t kDefaultTokens = 64;

struct GenerateOptions {
    SamplingOptions sampling;
    std::int64_t max_tokens = 0;  // 0: as generation_config.json says, else 64
    std::uint64_t seed = 0;
    std::vector<InputSpec> others;  // what forward takes besides the text: see TextModel::input_specs
};
// As the model's generation_config.json has them. Throws Error (File).
GenerateOptions generate_options(const TextModel& model);

class TextGenerator {
  public:
    // Throws Error (Usage) for options that do not fit, and what encode() throws.
    TextGenerator(std::shared_ptr<const TextModel> model, const std::string& text, GenerateOptions options);

    // Is no further token to come: the last one ends the text, or there are as many as were asked for?
    bool is_done() const { return is_done_; }
    // Throws Error (Run), what the model throws, and Cancelled.
    std::int64_t step();

    // Arguments of forward, without self, that give the token of this number, from 0 on; of the next one, or of one
    // that came: then the cache is cut to what it was.
    std::vector<IValue> arguments(std::size_t step) const;
    // The same as inputs of forward, without a cache.
    std::vector<InputSpec> input_specs(std::size_t step) const;
    // Of forward on arguments(generated().size()): the token is chosen.
    std::int64_t take(IValue result);
    // Tokens whose keys and values are in the cache that arguments(step) holds.
    std::size_t held(std::size_t step) const;
    // See key_cache.h; None where the model has none, or has not run.
    const IValue& cache() const { return cache_; }
    const std::shared_ptr<const TextModel>& model() const { return model_; }
    const GenerateOptions& options() const { return options_; }
    // One of the tokens that end the text.
    bool is_end(std::int64_t id) const;
    // Allows so many tokens more, unless an end has come.
    void allow(std::int64_t more);

    // The tokens of the given text.
    const text::Encoding& prompt() const { return prompt_; }
    // Those that came, with the one that ends the text.
    const std::vector<std::int64_t>& generated() const { return generated_; }
    // What the new tokens made of the text since the last call: whole characters only, all of it when done.
    std::string take_text();
    // All tokens: the prompt's (of a model with an encoder, those that its decoder begins with) and those that came.
    const std::vector<std::int64_t>& ids() const { return ids_; }
    // The scores that the last token was chosen from, before and after the options were applied.
    const std::vector<float>& logits() const { return logits_; }
    const std::vector<float>& scores() const { return scores_; }

  private:
    std::string text_from(std::size_t begin, std::size_t end) const;

    std::shared_ptr<const TextModel> model_;
    GenerateOptions options_;
    MersenneTwister generator_;
    text::Encoding prompt_;
    std::vector<std::int64_t> ids_;  // what repetition is counted in: of decoders with an encoder, the decoder's
    std::vector<std::int64_t> generated_, ends_;
    bool has_cache_ = false, is_done_ = false;
    IValue cache_;
    mutable std::vector<IValue> encoded_;  // what a model with an encoder is given besides, made once
    std::vector<float> logits_, scores_;
    // Of the ids: where the words begin that give the next its context, and what of them has been taken.
    std::size_t context_ = 0, taken_ = 0;
};

}  // namespace loupe::session
