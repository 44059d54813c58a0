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
    // Objects of generation_config.json's keys (eos_token_id, max_new_tokens, ...) and of config.json's (architectures,
    // vocab_size, max_position_embeddings, ...).
    OrderedJson generation = OrderedJson::object();
    OrderedJson config = OrderedJson::object();
};

}  // namespace loupe::text
