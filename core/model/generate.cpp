// SPDX-License-Identifier: Apache-2.0
#include "core/model/generate.h"

#include <algorithm>

#include "core/autograd/grad_mode.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/model/key_cache.h"
#include "core/text/byte_alphabet.h"

namespace loupe::session {

GenerateOptions generate_options(const TextModel& model) {
    GenerateOptions out;
    out.sampling = sampling_of(model.generation());
    if (const auto most = model.ids_named("max_new_tokens"); !most.empty()) out.max_tokens = most.front();
    return out;
}

TextGenerator::TextGenerator(std::shared_ptr<const TextModel> model, const std::string& text, GenerateOptions options)
    : model_(std::move(model)), options_(std::move(options)), generator_(options_.seed), prompt_(model_->encode(text)) {
    check_sampling(options_.sampling);
    if (options_.max_tokens <= 0) options_.max_tokens = kDefaultTokens;
    ends_ = model_->ids_named("eos_token_id");
    has_cache_ = model_->place_of("past_key_values") && model_->place_of("use_cache");
    if (model_->place_of("decoder_input_ids") && !model_->hears()) {
        ids_.push_back(model_->decoder_start());
    } else {
        for (const text::EncodedToken& token : prompt_) ids_.push_back(token.id);
    }
    context_ = taken_ = ids_.size();
    // Some words before give the first one its space.
    if (!model_->place_of("decoder_input_ids")) context_ -= std::min<std::size_t>(context_, 5);
}

std::size_t TextGenerator::held(std::size_t step) const {
    return has_cache_ && step > 0 ? ids_.size() - generated_.size() + step - 1 : 0;
}

std::vector<IValue> TextGenerator::arguments(std::size_t step) const {
    if (step > generated_.size()) throw Error(ErrorKind::Usage, "a token that has not come");
    const Device device = model_->program().device();
    const auto end = ids_.end() - std::ssize(generated_) + static_cast<std::ptrdiff_t>(step);
    const bool continues = has_cache_ && step > 0;
    const Tensor ids = row_of_ids({continues ? end - 1 : ids_.begin(), end}, device);
    std::vector<IValue> out;
    const auto give = [&](std::string_view name, IValue value) {
        const auto place = model_->place_of(name);
        if (!place) return;
        if (out.size() <= *place) out.resize(*place + 1);
        out[*place] = std::move(value);
    };
    if (model_->place_of("decoder_input_ids")) {
        if (encoded_.empty())
            encoded_ = model_->program().make_arguments(model_->input_specs(prompt_, options_.others), "forward");
        out = encoded_;
        give("decoder_input_ids", IValue(ids));
    } else {
        give("input_ids", IValue(ids));
        const auto count = static_cast<std::size_t>(end - ids_.begin());
        give("attention_mask", IValue(row_of_ids(std::vector<std::int64_t>(count, 1), device)));
    }
    if (has_cache_) {
        const bool is_next = step == generated_.size();
        give("past_key_values", !continues ? IValue() : is_next ? cache_ : cut_cache(cache_, held(step)));
        give("use_cache", IValue(true));
    }
    return out;
}

std::vector<InputSpec> TextGenerator::input_specs(std::size_t step) const {
    const auto at = [&](std::size_t place) { return ids_.begin() + static_cast<std::ptrdiff_t>(place); };
    const std::vector<std::int64_t> ids(at(held(step)), at(ids_.size() - generated_.size() + step));
    const auto decoder = model_->place_of("decoder_input_ids");
    if (!decoder || model_->hears()) return model_->specs_of_ids(ids, options_.others);
    std::vector<InputSpec> out = model_->input_specs(prompt_, options_.others);
    out[*decoder].shape = {1, std::ssize(ids)};
    out[*decoder].literal = concat("[", join(ids, ", "), "]");
    return out;
}

std::int64_t TextGenerator::take(IValue result) {
    if (has_cache_) cache_ = take_cache(result);
    if (!result.is_tensor()) throw Error(ErrorKind::Run, "the model gives no logits of tokens");
    logits_ = last_scores(result.to_tensor());
    scores_ = logits_;
    process_scores(scores_, ids_, options_.sampling);
    const std::int64_t next = choose_token(scores_, options_.sampling.samples, generator_);
    ids_.push_back(next);
    generated_.push_back(next);
    is_done_ = is_end(next) || std::ssize(generated_) >= options_.max_tokens;
    return next;
}

std::int64_t TextGenerator::step() {
    if (is_done_) throw Error(ErrorKind::Usage, "the text has ended");
    const GradModeScope no_grad(false);
    check_cancelled();
    return take(model_->program().source()->forward(arguments(generated_.size())));
}

bool TextGenerator::is_end(std::int64_t id) const { return std::ranges::count(ends_, id) > 0; }

void TextGenerator::allow(std::int64_t more) {
    options_.max_tokens = std::ssize(generated_) + more;
    is_done_ = more <= 0 || (!generated_.empty() && is_end(generated_.back()));
}

std::string TextGenerator::text_from(std::size_t begin, std::size_t end) const {
    std::vector<text::TokenId> tokens;
    for (std::size_t i = begin; i < end; ++i) tokens.push_back(static_cast<text::TokenId>(ids_[i]));
    return model_->tokenizer().decode(tokens);
}

std::string TextGenerator::take_text() {
    const std::string before = text_from(context_, taken_);
    const std::string all = text_from(context_, ids_.size());
    // Bytes may belong to a character with those that come.
    const std::string* last =
        ids_.empty() ? nullptr : model_->tokenizer().token(static_cast<text::TokenId>(ids_.back()));
    const bool is_byte = last != nullptr && text::byte_of_token(*last);
    if (!is_done_ && (is_byte || all.size() <= before.size() || all.ends_with("\xEF\xBF\xBD"))) return {};
    context_ = std::max(context_, taken_ - std::min<std::size_t>(taken_, 5));
    taken_ = ids_.size();
    return all.size() > before.size() ? all.substr(before.size()) : std::string();
}

}  // namespace loupe::session
