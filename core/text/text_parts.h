// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a model needs beside its weights to read and write text.

#include <memory>
#include <string>

#include "core/base/ordered_json.h"
#include "core/text/tokenizer.h"

namespace loupe::text {

struct TextParts {
    std::shared_ptr<const Tokenizer> tokenizer;
    // An object of generation_config.json's keys: eos_token_id, bos_token_id, max_new_tokens, vocab_size, ...
    OrderedJson generation = OrderedJson::object();
};

}  // namespace loupe::text
