// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tokens of a model and their numbers.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/json_document.h"

namespace loupe::text {

using TokenId = std::int32_t;

class Vocabulary {
  public:
    // An object of tokens and ids, or a list of tokens by their ids. Throws Error (File).
    static Vocabulary read(const JsonValue& tokens);

    void add(std::string_view token, TokenId id);
    std::optional<TokenId> find(std::string_view token) const;
    // Null when there is none.
    const std::string* token(TokenId id) const;
    std::size_t size() const { return ids_.size(); }
    TokenId largest() const { return largest_; }
    const std::unordered_map<std::string_view, TokenId>& all() const { return ids_; }

  private:
    std::deque<std::string> texts_;
    std::unordered_map<std::string_view, TokenId> ids_;
    std::unordered_map<TokenId, const std::string*> tokens_;
    TokenId largest_ = -1;
};

}  // namespace loupe::text
