// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is put around the tokens of a text: [CLS] and [SEP], <s>, ...

#include <functional>

#include "core/base/json_document.h"
#include "core/text/encoding.h"

namespace loupe::text {

using PostProcessor = std::function<void(Encoding&, bool adds_special_tokens)>;

// Of the `post_processor` of a tokenizer.json. Throws Error (File).
PostProcessor make_post_processor(const JsonValue& settings);

}  // namespace loupe::text
