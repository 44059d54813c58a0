// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a tokenizer does with a text before it is split: Unicode forms, lower case, accents, replacements.

#include <functional>

#include "core/base/json_document.h"
#include "core/text/normalized_text.h"

namespace loupe::text {

using Normalizer = std::function<void(NormalizedText&)>;

// Of the `normalizer` of a tokenizer.json. Throws Error (File).
Normalizer make_normalizer(const JsonValue& settings);

// sentencepiece's table of replacements, base64. Throws Error (File).
Normalizer precompiled_normalizer(std::string_view charsmap);

// A string or an expression: {"String": ...} or {"Regex": ...}.
Finder pattern_of(const JsonValue& settings);

}  // namespace loupe::text
