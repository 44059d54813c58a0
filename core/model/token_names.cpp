// SPDX-License-Identifier: Apache-2.0
#include "core/model/token_names.h"

namespace loupe::session {

namespace {

constexpr std::int64_t kBytes = 256;

}  // namespace

TokenInfo TokenNames::operator()(std::int64_t id) const {
    TokenInfo out;
    out.id = id;
    if (model_ == nullptr) {
        const bool is_character = vocabulary_ > 0 && vocabulary_ <= kBytes && id >= 0x20 && id < 0x7F;
        out.text = out.token = is_character ? std::string(1, static_cast<char>(id)) : std::to_string(id);
        return out;
    }
    const text::Tokenizer& tokenizer = model_->tokenizer();
    const bool is_known = id >= 0 && id <= tokenizer.largest_id();
    const std::string* name = is_known ? tokenizer.token(static_cast<text::TokenId>(id)) : nullptr;
    if (name != nullptr) out.token = *name;
    out.is_special = name != nullptr && tokenizer.is_special(static_cast<text::TokenId>(id));
    out.text = out.is_special ? out.token : model_->shown(id);
    // Tokens that some decoders leave out.
    if (out.text.empty()) out.text = out.token.empty() ? std::to_string(id) : out.token;
    return out;
}

std::vector<TokenInfo> TokenNames::operator()(const std::vector<std::int64_t>& ids) const {
    std::vector<TokenInfo> out;
    out.reserve(ids.size());
    for (const std::int64_t id : ids) out.push_back((*this)(id));
    return out;
}

}  // namespace loupe::session
