// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the byte-level vocabularies of GGUF files split a text into words: `tokenizer.ggml.pre` names it, and the
// expressions are those of the tokenizer.json that the model came with.

#include <string_view>

#include "core/base/ordered_json.h"

namespace loupe::text {

struct GgufSplit {
    OrderedJson pre_tokenizer;     // as tokenizer.json has it
    bool ignores_merges = false;   // a word that is a token is that token
    bool begins_with_bos = false;  // where the file does not say
    bool surrounds = false;        // with cls and sep, as RoBERTa
};

// Throws Error (Unsupported) for a name that is not known.
GgufSplit gguf_split(std::string_view name);

}  // namespace loupe::text
