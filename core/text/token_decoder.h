// SPDX-License-Identifier: Apache-2.0
#pragma once
// How tokens become a text again.

#include <functional>
#include <string>
#include <vector>

#include "core/base/json_document.h"

namespace loupe::text {

// Changes the texts of tokens; what is left of them, joined, is the text.
using TokenDecoder = std::function<std::vector<std::string>(std::vector<std::string>)>;

// Of the `decoder` of a tokenizer.json. Throws Error (File).
TokenDecoder make_token_decoder(const JsonValue& settings);

}  // namespace loupe::text
