// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a tokenizer splits a text into the words that its model is given one by one.

#include <functional>
#include <vector>

#include "core/base/json_document.h"
#include "core/text/normalized_text.h"

namespace loupe::text {

using PreTokenizer = std::function<std::vector<NormalizedText>(NormalizedText)>;

// Of the `pre_tokenizer` of a tokenizer.json. Throws Error (File).
PreTokenizer make_pre_tokenizer(const JsonValue& settings);

enum class Prepends { Always, First, Never };
// Of Metaspace, as a pre-tokenizer or a decoder.
Prepends prepends_of(const JsonValue& settings);

}  // namespace loupe::text
