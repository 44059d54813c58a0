// SPDX-License-Identifier: Apache-2.0
#include "core/text/tokenizer.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/text/settings.h"

namespace loupe::text {

std::shared_ptr<const Tokenizer> Tokenizer::parse(std::string_view json) {
    const auto document = JsonDocument::parse(json);
    if (!document || !document->root().is_object()) refuse("no JSON object, or cut short");
    return of(document->root());
}

std::shared_ptr<const Tokenizer> Tokenizer::of(const JsonValue& settings) {
    const auto out = std::make_shared<Tokenizer>();
    const JsonValue* model = part_of(settings, "model");
    if (model == nullptr || !model->is_object()) refuse("it has no model");
    out->model_ = make_token_model(*model);
    if (const JsonValue* part = part_of(settings, "normalizer")) out->normalizer_ = make_normalizer(*part);
    if (const JsonValue* part = part_of(settings, "pre_tokenizer")) out->pre_tokenizer_ = make_pre_tokenizer(*part);
    if (const JsonValue* part = part_of(settings, "post_processor")) out->post_processor_ = make_post_processor(*part);
    if (const JsonValue* part = part_of(settings, "decoder")) out->decoder_ = make_token_decoder(*part);
    if (part_of(settings, "added_tokens") != nullptr) out->read_added_tokens(settings);
    return out;
}

void Tokenizer::read_added_tokens(const JsonValue& settings) {
    std::vector<AddedToken> tokens;
    for (const JsonValue& each : list_of(settings, "added_tokens")) {
        const std::string content = text_of(each, "content");
        const JsonValue* id = part_of(each, "id");
        if (id == nullptr) refuse(concat("the added token ", python_repr(std::string_view(content)), " has no id"));
        const bool is_special = flag_of(each, "special", false);
        AddedToken token{.id = model_->vocabulary().find(content).value_or(id_of(*id, content)),
                         .content = content,
                         .is_special = is_special,
                         .is_single_word = flag_of(each, "single_word", false),
                         .strips_left = flag_of(each, "lstrip", false),
                         .strips_right = flag_of(each, "rstrip", false),
                         .is_normalized = flag_of(each, "normalized", !is_special)};
        if (is_special) special_.insert(token.id);
        added_vocabulary_.add(content, token.id);
        tokens.push_back(std::move(token));
    }
    added_ = AddedTokens(std::move(tokens), normalizer_);
    for (const AddedToken& token : added_.all()) shown_[token.id] = token.shown;
}

Encoding Tokenizer::encode(std::string_view text, bool adds_special_tokens) const {
    if (!is_valid_utf8(text)) throw Error(ErrorKind::Usage, "the text is no UTF-8");
    Encoding out;
    const NormalizedText whole(text);
    const auto add_token = [&](const NormalizedText& in, const AddedTokens::Part& part) {
        out.push_back({.id = part.token->id,
                       .token = in.text().substr(part.begin, part.end - part.begin),
                       .span = in.span(part.begin, part.end)});
    };
    for (const auto& outer : added_.find(whole.text(), AddedTokens::Of::Original)) {
        if (outer.token != nullptr) {
            add_token(whole, outer);
            continue;
        }
        NormalizedText piece = whole.slice(outer.begin, outer.end);
        if (normalizer_) normalizer_(piece);
        for (const auto& inner : added_.find(piece.text(), AddedTokens::Of::Normalized)) {
            if (inner.token != nullptr)
                add_token(piece, inner);
            else
                encode_words(piece.slice(inner.begin, inner.end), out);
        }
    }
    if (post_processor_) post_processor_(out, adds_special_tokens);
    return out;
}

void Tokenizer::encode_words(NormalizedText text, Encoding& out) const {
    std::vector<NormalizedText> words;
    if (pre_tokenizer_)
        words = pre_tokenizer_(std::move(text));
    else
        words.push_back(std::move(text));
    std::vector<WordToken> tokens;
    for (const NormalizedText& word : words) {
        if (word.empty()) continue;
        tokens.clear();
        model_->tokenize(word.text(), tokens);
        for (const WordToken& token : tokens) {
            const std::string* name = model_->vocabulary().token(token.id);
            out.push_back({.id = token.id,
                           .token = name != nullptr ? *name : std::string(),
                           .span = word.span(token.begin, token.end)});
        }
    }
}

std::string Tokenizer::decode(std::span<const TokenId> ids, bool skips_special_tokens) const {
    std::vector<std::string> tokens;
    for (const TokenId id : ids) {
        if (skips_special_tokens && is_special(id)) continue;
        const auto shown = shown_.find(id);
        if (shown != shown_.end())
            tokens.push_back(shown->second);
        else if (const std::string* found = token(id))
            tokens.push_back(*found);
    }
    if (!decoder_) return join(tokens, " ");
    return join(decoder_(std::move(tokens)), "");
}

const std::string* Tokenizer::token(TokenId id) const {
    const std::string* added = added_vocabulary_.token(id);
    return added != nullptr ? added : model_->vocabulary().token(id);
}

std::optional<TokenId> Tokenizer::find(std::string_view token) const {
    const auto added = added_vocabulary_.find(token);
    return added ? added : model_->vocabulary().find(token);
}

TokenId Tokenizer::largest_id() const { return std::max(added_vocabulary_.largest(), model_->vocabulary().largest()); }

}  // namespace loupe::text
