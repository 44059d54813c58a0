// SPDX-License-Identifier: Apache-2.0
#include "core/text/vocabulary.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/text/settings.h"

namespace loupe::text {

Vocabulary Vocabulary::read(const JsonValue& tokens) {
    Vocabulary out;
    if (tokens.is_list()) {
        out.ids_.reserve(tokens.size());
        out.tokens_.reserve(tokens.size());
        for (const JsonValue& token : tokens.elements()) {
            if (!token.is_string()) refuse(concat("token ", out.tokens_.size(), " of the vocabulary is no text"));
            out.add(token.text(), static_cast<TokenId>(out.tokens_.size()));
        }
        return out;
    }
    if (!tokens.is_object()) refuse("the vocabulary is no object");
    out.ids_.reserve(tokens.size());
    out.tokens_.reserve(tokens.size());
    for (const JsonMember& member : tokens.members()) out.add(member.key, id_of(member.value, member.key));
    return out;
}

void Vocabulary::add(std::string_view token, TokenId id) {
    largest_ = std::max(largest_, id);
    const auto found = ids_.find(token);
    const std::string& text = found == ids_.end() ? texts_.emplace_back(token) : *tokens_.at(found->second);
    tokens_[id] = &text;
    ids_[text] = id;
}

std::optional<TokenId> Vocabulary::find(std::string_view token) const {
    const auto found = ids_.find(token);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

const std::string* Vocabulary::token(TokenId id) const {
    const auto found = tokens_.find(id);
    return found == tokens_.end() ? nullptr : found->second;
}

}  // namespace loupe::text
