// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tokens of a text.

#include <cstdint>
#include <string>
#include <vector>

#include "core/text/normalized_text.h"
#include "core/text/vocabulary.h"

namespace loupe::text {

struct EncodedToken {
    TokenId id = 0;
    std::string token;      // as the vocabulary has it
    Span span;              // the characters that it came from; empty for one that was added
    std::int64_t type = 0;  // token_type_ids
    bool is_added = false;  // by the post-processor: [CLS], <s>
};

using Encoding = std::vector<EncodedToken>;

}  // namespace loupe::text
